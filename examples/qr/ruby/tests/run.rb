# frozen_string_literal: true

# What only concerns Ruby: the server's own functions, and how it reads queries. That codes say what they should is for
# `tierup check`, which reads them; the contract is in `node/test`.

require "minitest/autorun"
require_relative "../app"
require "generate_qr"
require "generate_qr_tuned"

class TestOwn < Minitest::Test
  OWN = [GenerateQr, GenerateQrTuned].freeze

  def test_a_picture_has_the_same_size_for_every_text
    OWN.each do |own|
      ["1", "HELLO WORLD", "größe", "x" * 512].each do |text|
        png = own.generate_qr_code(text)
        assert_equal "\x89PNG\r\n\x1A\n".b, png.byteslice(0, 8)
        assert_equal [200, 200], png.byteslice(16, 8).unpack("NN")
      end
    end
  end

  def test_both_draw_the_same_pixels
    ["1", "größe", "https://example.org/a?b=c", "x" * 300].each do |text|
      first, second = OWN.map { |own| ChunkyPNG::Image.from_blob(own.generate_qr_code(text)).pixels }
      assert_equal first, second, text
    end
  end

  def test_no_text_is_an_error
    OWN.each { |own| assert_raises(ArgumentError) { own.generate_qr_code("") } }
  end

  def test_a_query_is_text_or_malformed
    assert_equal ["a b c", "", "x=y"], Query.values_of("text=a+b%20c&text=&x&%74ext=x=y&text[]=z", "text")
    assert_empty Query.values_of("", "text")
    ["text=%", "text=%f", "text=%ff", "%ff=1", "text=ä"].each do |query|
      assert_raises(Query::Malformed) { Query.values_of(query, "text") }
    end
  end

  def test_the_function_at_the_tier_that_runs
    assert_equal Encoding::BINARY, RUST.generate_qr_code("tierup").encoding
    RUST.check_health
  end
end
