# frozen_string_literal: true

# Query strings, read strictly.
#
# Rack takes a broken percent-encoding for text, bytes that are no UTF-8 too, and `text[]` for `text`. Here a parameter is text and
# nothing else.
module Query
  # The query string does not say which text it means.
  class Malformed < StandardError; end

  BROKEN = /%(?![0-9A-Fa-f]{2})|[^!-~]/n.freeze

  module_function

  # The values of all parameters with that name; `query` is what was sent behind the `?`.
  def values_of(query, name)
    query = query.b
    raise Malformed if query.match?(BROKEN)

    query.split("&").filter_map do |parameter|
      key, value = parameter.split("=", 2)
      text = decoded(value.to_s)
      text if decoded(key.to_s) == name
    end
  end

  def decoded(encoded)
    text = encoded.tr("+", " ").gsub(/%(..)/n) { $1.hex.chr }.force_encoding(Encoding::UTF_8)
    text.valid_encoding? ? text : raise(Malformed)
  end
end
