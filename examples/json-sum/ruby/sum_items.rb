# frozen_string_literal: true

require "json"
require "bad_body"
require "javascript_json"

# Tier 0: how the service added up its items before there was any Rust. JSON.parse, and a loop.
#
# What it takes is what JavaScript's `JSON.parse` takes, because that is what clients have been talking to.
module SumItems
  # JavaScript's Number.MAX_SAFE_INTEGER.
  LARGEST = 2**53 - 1

  module_function

  # The sum of `value * 2` over the items of `{"items":[{"value":n}, …]}`. Raises BadBody for anything else, and where the sum is beyond
  # 2^53 - 1 on its way.
  def sum_items(body)
    document = parse(body)
    items = document["items"] if document.is_a?(Hash)
    raise BadBody, 'the body is not an object with an array of "items"' unless items.is_a?(Array)

    total = 0
    items.each_with_index do |item, place|
      value = whole(item["value"]) if item.is_a?(Hash)
      raise BadBody, "items[#{place}].value is not a whole number of up to 2^53 - 1" unless value

      total += value * 2
      raise BadBody, "overflow: at items[#{place}] the sum is beyond 2^53 - 1" if total.abs > LARGEST
    end
    total
  end

  # The Integer that a number is; nil if it is none, or too large.
  def whole(value)
    value = value.to_i if value.is_a?(Float) && value.finite? && value == value.floor
    value if value.is_a?(Integer) && value.abs <= LARGEST
  end

  def parse(body)
    text = body.dup.force_encoding(Encoding::UTF_8)
    raise BadBody, "the body is not UTF-8" unless text.valid_encoding?
    # Ruby takes comments, and escapes that are none.
    return JavascriptJson.parse(text) if text.match?(%r{[\\/]})

    JSON.parse(text)
  rescue JSON::ParserError
    # It may be right still: Ruby gives up at 100 levels.
    JavascriptJson.parse(text)
  end
end
