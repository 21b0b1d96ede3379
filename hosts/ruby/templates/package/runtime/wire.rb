# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The byte encoding: Borsh's layout (https://borsh.io), except that a float is its raw IEEE-754 bits, NaN included.
#
# Numbers are little-endian. Text, bytes, lists and maps start with a 32-bit count, an optional value with a byte 0 or
# 1. Each type is an object: `write` checks and appends a value to a String, `read` takes one from a `Reader`.

require_relative "checks"

module {{module}}::Tierup::Wire
  Wire = {{module}}::Tierup::Wire
  Checks = {{module}}::Tierup::Checks
  Mismatch = {{module}}::Tierup::Mismatch

  module_function

  # Appends the number of items that follow.
  def count(to, number)
    raise Checks.too_large if number > Checks::LARGEST || to.bytesize > Checks::LARGEST

    [number].pack("V", buffer: to)
  end

  # Maps the items with the block. A `Mismatch` gets the item's place.
  def each_item(items)
    at = -1
    items.map do |item|
      at += 1
      yield item
    end
  rescue Mismatch => mismatch
    raise mismatch.within("[#{at}]")
  end
end

require_relative "wire/reader"
require_relative "wire/numbers"
require_relative "wire/plain"
require_relative "wire/containers"
require_relative "wire/types"
require_relative "wire/function"
