Tally = Struct.new(:words, :longest)

module Words
  module_function

  def tally(text, limit = nil)
    words = text.split
    Tally.new(words.size, words.max_by(&:size))
  end

  def shout(text)
    raise ArgumentError, "no" if text.empty?

    text.upcase
  end
end

class Desk
  def initialize(mark) = @mark = mark
  def cry(text) = "#{text}#{marks}"
  def marks = @mark * 3
end
