defmodule OwnTest do
  @moduledoc "The server's own function. That its codes say what they should is for `tierup check`, which reads them."
  use ExUnit.Case

  test "a picture has the same size for every text that fits" do
    for text <- ["1", "HELLO WORLD", "größe", String.duplicate("x", 2953), String.duplicate("7", 7089)] do
      assert {:ok, <<0x89, "PNG\r\n", 0x1A, "\n", 13::32, "IHDR", 200::32, 200::32, _::binary>>} =
               QrServer.Own.generate_qr_code(text)
    end
  end

  test "no text, and too much, are errors" do
    assert {:error, "there is no text to encode"} = QrServer.Own.generate_qr_code("")
    assert {:error, "text of 2954 bytes does not fit" <> _} = QrServer.Own.generate_qr_code(String.duplicate("x", 2954))
  end

  test "a query is text or malformed" do
    assert QrServer.Query.values_of("text=a+b%20c&text=&x", "text") == {:ok, ["a b c", ""]}
    assert QrServer.Query.values_of("", "text") == {:ok, []}
    for query <- ["text=%", "text=%f", "text=%ff", "%ff=1", "text=ä"], do: assert(QrServer.Query.values_of(query, "text") == :malformed)
  end
end
