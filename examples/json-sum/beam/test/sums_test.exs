defmodule SumsTest do
  @moduledoc "The function that stands for Rust's at tier 0: it takes the same bodies, and finds the same sums."
  use ExUnit.Case

  alias JsonSumServer.Json
  alias JsonSumServer.Own

  # A call at `1:spawn` takes milliseconds.
  @bodies if String.starts_with?(System.get_env("TIERUP_TIER", ""), "1"), do: 300, else: 5_000

  @plain ["0", "-0", "1", "7", "-42", "1000", "1.0", "2e3"]
  @values @plain ++
            ["1.5", "5e-1", "50e-1", "1e400", "1e-400", "0.99999999999999999999", "4503599627370495", "9007199254740991"] ++
            ["-9007199254740993", "9007199254740991.4", "10000000000000000", String.duplicate("1", 5000)]
  @others ["null", "true", ~s(""), ~s("1"), "[]", "{}", ~s([[1],{"a":2}]), ~S("\ud83e\udd80"), ~S("\udc00"), ~S("\ud800\u0041")] ++
            [String.duplicate("[", 2000) <> String.duplicate("]", 2000)]
  @keys ["items", "items", "value", "value", "x", "é🦀", "", ~S(\u0069tems), ~S(valu\u0065), ~S(\ud800), ~S(\/)]
  @scraps ["{", "}", "[", "]", "\"", ",", ":", "\\", "0", "1", "9", "-", ".", "+", "e", "E", "u", " ", "\t", "\n", <<0>>, "é"] ++
            [~s("items":), ~s("value":), "\uFEFF", "null,", "NaN", "Infinity", "1e"]

  defp one(choices), do: Enum.random(choices)

  defp value, do: if(:rand.uniform() < 0.9, do: one(@plain), else: one(@values ++ @others))
  defp more, do: if(:rand.uniform() < 0.15, do: ~s("#{one(@keys)}":#{one(@values ++ @others)},), else: "")
  defp item, do: if(:rand.uniform() < 0.98, do: ~s({#{more()}"value":#{value()}}), else: one(@others))

  defp document do
    items = Stream.repeatedly(&item/0) |> Enum.take(:rand.uniform(6) - 1)
    ~s({#{more()}"items":[#{Enum.join(items, one([" , ", ",", ",", ","]))}]})
  end

  # Good ones, and what small changes make of them.
  defp body, do: changed(document(), one([0, 0, 1, 2]))

  defp changed(body, 0), do: body

  defp changed(body, times) do
    at = :rand.uniform(byte_size(body) + 1) - 1
    before = max(0, at - 3)
    scrap = one([one(@scraps), binary_part(body, before, at - before), <<:rand.uniform(256) - 1>>])
    behind = min(byte_size(body), at + :rand.uniform(4) - 1)
    changed(binary_part(body, 0, at) <> scrap <> binary_part(body, behind, byte_size(body) - behind), times - 1)
  end

  # Which body is refused is what counts, not the words.
  defp outcome({:ok, sum}), do: sum
  defp outcome({:error, %JsonSum.CallError{}}), do: :refused
  defp outcome({:error, words}) when is_binary(words), do: :refused

  test "both take the same bodies and find the same sums" do
    :rand.seed(:exsss, {20, 26, 1121})
    JsonSum.bind(baseline: Own, baselines: %{"tuned" => Own})

    sums =
      for _ <- 1..@bodies, reduce: 0 do
        sums ->
          body = body()
          expected = outcome(Own.sum_items(body))
          assert outcome(JsonSum.sum_items(body)) == expected, inspect(body, limit: 500)
          if expected == :refused, do: sums, else: sums + 1
      end

    # Otherwise this shows little.
    assert sums > 0.2 * @bodies and sums < 0.9 * @bodies, "#{sums} of #{@bodies}"
  end

  test "values are what they should be" do
    assert Json.parse(~S( {"a" : [1, -0, 1.5, 2e2, 1e400, null, true, false], "b":{}, "é\n\u00e9\ud83e\udd80": "\ud800"} )) ==
             {:ok, %{"a" => [1, 0, 1.5, 200.0, :large, nil, true, false], "b" => %{}, "é\né🦀" => <<0xED, 0xA0, 0x80>>}}

    assert Json.parse(~S({"a":1,"b":2,"a":3})) == {:ok, %{"a" => 3, "b" => 2}}
    for bad <- ["", "[1,]", ~s({"a":1,}), "01", "1.", ".5", "-", "1e", "+1", "\"\t\"", ~S("\x"), ~S("\u12"), "nul", "[] []", <<?", 0xFF, ?">>], do: assert({:error, _} = Json.parse(bad))
  end
end
