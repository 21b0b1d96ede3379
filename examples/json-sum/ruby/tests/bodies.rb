# frozen_string_literal: true

# Bodies that nobody thought of: good ones, and what small changes make of them. The same for the same seed.
class Bodies
  include Enumerable

  PLAIN = %w[0 -0 1 7 -42 1000 1.0 2e3].freeze
  NUMBERS = %w[1.5 5e-1 50e-1 1e400 1e-400 0.99999999999999999999 123456789012345678901234567890 4503599627370495
               9007199254740991 -9007199254740993 9007199254740991.4].freeze
  OTHERS = ["null", "true", '""', '"1"', "[]", "{}", '[[1],{"a":2}]', '"\ud83e\udd80"', '"\udc00"', "#{"[" * 120}#{"]" * 120}"].freeze
  KEYS = ["items", "items", "value", "value", "x", "__proto__", "é🦀", "", '\u0069tems', 'valu\u0065', '\ud800'].freeze
  SCRAPS = [*"{}[]\",:\\/0123456789.-+eEu \t\n\0é".chars, '"items":', '"value":', "\ufeff", "null,", "1e", "NaN", "/**/", '\x41', "//"].freeze

  def initialize(seed)
    @random = Random.new(seed)
  end

  def each
    loop { yield changed(document) }
  end

  private

  def pick(list) = list[@random.rand(list.size)]

  def chance?(share) = @random.rand < share

  def value = pick(chance?(0.9) ? PLAIN : PLAIN + NUMBERS + OTHERS)

  def more = chance?(0.15) ? "\"#{pick(KEYS)}\":#{pick(NUMBERS + OTHERS)}," : ""

  def document
    items = Array.new(@random.rand(6)) { chance?(0.98) ? "{#{more}\"value\":#{value}}" : pick(OTHERS) }
    "{#{more}\"items\":[#{items.join(chance?(0.2) ? " , " : ",")}]}"
  end

  # Half of them stay as they are; of the others some bytes are taken out, doubled or made up.
  def changed(text)
    body = text.b
    [0, 0, 1, 2][@random.rand(4)].times do
      at = @random.rand(body.bytesize + 1)
      scrap = [pick(SCRAPS).b, body.byteslice([0, at - 3].max...at), @random.bytes(1)][@random.rand(3)]
      body = body.byteslice(0, at) + scrap + body.byteslice((at + @random.rand(4))..).to_s
    end
    body
  end
end
