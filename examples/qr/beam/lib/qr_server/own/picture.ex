defmodule QrServer.Own.Picture do
  @moduledoc "Modules to a PNG of 200 x 200 pixels, black on white, with one bit per pixel."

  @pixels 200

  def png(rows) do
    size = length(rows)
    # A quiet zone of at least four modules on each side.
    scale = div(@pixels, size + 8)
    before = div(@pixels - size * scale, 2)
    behind = @pixels - size * scale - before
    # Each line begins with its filter, which is none.
    white = <<0, -1::size(@pixels)>>

    lines =
      for row <- rows do
        modules = for module <- row, into: <<>>, do: <<module - 1::size(scale)>>
        List.duplicate(<<0, -1::size(before), modules::bits, -1::size(behind)>>, scale)
      end

    content = [List.duplicate(white, before), lines, List.duplicate(white, behind)]

    IO.iodata_to_binary([
      <<0x89, "PNG\r\n", 0x1A, "\n">>,
      chunk("IHDR", <<@pixels::32, @pixels::32, 1, 0, 0, 0, 0>>),
      chunk("IDAT", :zlib.compress(content)),
      chunk("IEND", "")
    ])
  end

  defp chunk(name, content), do: [<<byte_size(content)::32>>, name, content, <<:erlang.crc32([name, content])::32>>]
end
