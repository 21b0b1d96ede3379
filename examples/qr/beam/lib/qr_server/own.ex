defmodule QrServer.Own do
  @moduledoc """
  Tier 0: how the server drew its codes before there was any Rust.

  Debian has no library for it, so this stands in the place of Hex's `eqrcode`: text to bits, bits to codewords with their
  correction, codewords to modules under the best of the eight masks, modules to a picture. ISO/IEC 18004:2015, level L.
  """

  alias QrServer.Own.Codewords
  alias QrServer.Own.Picture
  alias QrServer.Own.Symbol

  def generate_qr_code(""), do: {:error, "there is no text to encode"}

  def generate_qr_code(text) do
    case Codewords.of(text) do
      {version, codewords} ->
        {:ok, version |> Symbol.draw(codewords) |> Picture.png()}

      nil ->
        {:error, "text of #{byte_size(text)} bytes does not fit into a QR code, which holds 2953"}
    end
  end
end
