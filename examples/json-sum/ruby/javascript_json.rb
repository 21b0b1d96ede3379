# frozen_string_literal: true

require "strscan"
require "bad_body"

# JSON as JavaScript reads it, to any depth: what is open lies in an Array, not on the stack. Ten times slower than Ruby's
# own reader, which is asked first where it cannot be wrong.
class JavascriptJson
  SPACE = /[ \t\n\r]*/
  TEXT = %r{"(?:[^"\\\x00-\x1F]|\\(?:["\\/bfnrt]|u\h{4}))*+"}
  NUMBER = /-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?/
  WORD = /true|false|null/
  WORDS = { "true" => true, "false" => false, "null" => nil }.freeze
  ESCAPED = /\\(?:u(\h{4})|(.))/
  CONTROLS = { "b" => "\b", "f" => "\f", "n" => "\n", "r" => "\r", "t" => "\t" }.freeze

  # The document that is all of `text`, which is valid UTF-8. Raises BadBody where it is none.
  def self.parse(text) = new(text).document

  def initialize(text)
    @scanner = StringScanner.new(text)
  end

  def document
    # The Arrays and Hashes that are not closed yet, each with the key that the next value is for.
    open = []
    loop do
      space
      value = beginning
      if value.is_a?(Enumerable) && !@scanner.skip(closing(value))
        open << [value, next_key(value)]
        next
      end
      # A value ends here, and maybe what it is in.
      until open.empty?
        outer, key = open.last
        key ? outer[key] = value : outer << value
        space
        break if @scanner.skip(/,/)

        refuse unless @scanner.skip(closing(outer))
        value = open.pop.first
      end
      break if open.empty? && ended(value)

      open.last[1] = next_key(open.last[0])
    end
    @value
  end

  private

  # Whatever begins here: an empty Array or Hash, or all of another value.
  def beginning
    if @scanner.skip(/\[/) then [].tap { space }
    elsif @scanner.skip(/\{/) then {}.tap { space }
    elsif (text = @scanner.scan(TEXT)) then unescaped(text)
    elsif (digits = @scanner.scan(NUMBER)) then digits.match?(/[.eE]/) ? digits.to_f : digits.to_i
    elsif (word = @scanner.scan(WORD)) then WORDS[word]
    else refuse
    end
  end

  # The key of a Hash's next member; nil in an Array.
  def next_key(container)
    return if container.is_a?(Array)

    space
    key = @scanner.scan(TEXT) || refuse
    space
    @scanner.skip(/:/) || refuse
    unescaped(key)
  end

  # Half of a surrogate pair is no character in Ruby. Texts do not count here, and keys that do have none, so any other will do.
  def unescaped(text)
    text[1..-2].gsub(ESCAPED) do
      code = $1&.hex
      next CONTROLS.fetch($2, $2) unless code

      code.between?(0xD800, 0xDFFF) ? "\uFFFD" : [code].pack("U")
    end
  end

  def closing(container) = container.is_a?(Array) ? /\]/ : /\}/

  def ended(value)
    space
    refuse unless @scanner.eos?
    @value = value
    true
  end

  def space = @scanner.skip(SPACE)

  def refuse = raise(BadBody, "the body is not JSON: at byte #{@scanner.pos}")
end
