# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Types of the byte encoding that contain values of another type.

module {{module}}::Tierup::Wire
  class Optional
    def initialize(inner) = @inner = inner
    def least_bytes = 1

    def write(to, value)
      return to << "\0" if value.nil?

      to << "\1"
      @inner.write(to, value)
    end

    def read(source) = BOOL.read(source) ? @inner.read(source) : nil
  end

  class List
    def initialize(inner)
      @inner = inner
      @is_packed = inner.respond_to?(:write_all)
    end

    def least_bytes = 4

    def write(to, value)
      items = Array.try_convert(value) || raise(Checks.expected("an Array", value))
      # A copy, so that it cannot grow in the meantime.
      items = items.dup
      Wire.count(to, items.size)
      return @inner.write_all(to, items) if @is_packed

      Wire.each_item(items) { |item| @inner.write(to, item) }
    end

    def read(source)
      count = source.values(@inner.least_bytes)
      @is_packed ? @inner.read_all(source, count) : Array.new(count) { @inner.read(source) }
    end
  end

  class Map
    def initialize(inner) = @inner = inner
    def least_bytes = 4

    def write(to, value)
      hash = Hash.try_convert(value) || raise(Checks.expected("a Hash", value))
      entries = hash.map { |key, item| [text(key), item] }
      # Ruby compares Strings of one encoding by their bytes, as the encoding requires.
      entries.sort_by!(&:first)
      Wire.count(to, entries.size)
      before = nil
      entries.each do |key, item|
        raise Checks.expected("different keys", key) if key == before

        before = key
        TEXT.write(to, key)
        @inner.write(to, item)
      rescue Mismatch => mismatch
        raise mismatch.within("[#{key.inspect}]")
      end
    end

    def read(source)
      value = {}
      before = nil
      source.values(4 + @inner.least_bytes).times do
        key = TEXT.read(source)
        # Keys ascend, so comparing each with the previous one finds duplicates.
        raise Malformed, "a map's keys are not sorted or not unique" if before && before >= key

        value[key] = @inner.read(source)
        before = key
      end
      value
    end

    private

    def text(key)
      String === key || raise(Checks.expected("text as every key", key))
      Checks.utf8(key).dup.force_encoding(Encoding::UTF_8)
    end
  end
end
