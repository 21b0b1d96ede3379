# frozen_string_literal: true

require "etc"
require "uri"

# What the environment says. Whoever sets something that makes no sense is told, and the process ends.
module Settings
  # `uri` is the service's address, to which `/process` is appended; `timeout` the seconds in which its whole answer must be there.
  Downstream = Struct.new(:uri, :timeout, keyword_init: true)

  module_function

  # As puma wants it.
  def address
    host = text("HOST", "127.0.0.1")
    host = "[#{host}]" if host.include?(":")
    "tcp://#{host}:#{whole_number("PORT", 3000, 0..65_535)}"
  end

  def workers = whole_number("TIERUP_WORKERS", Etc.nprocessors, 1..1024)

  def downstream
    Downstream.new(
      uri: http_address("DOWNSTREAM_URL", "http://127.0.0.1:4000"),
      timeout: whole_number("DOWNSTREAM_TIMEOUT_MS", 5000, 1..600_000) / 1000.0
    )
  end

  def text(name, otherwise)
    value = ENV.fetch(name, "")
    value.empty? ? otherwise : value
  end

  # An environment variable that is a whole number.
  def whole_number(name, otherwise, allowed)
    value = text(name, otherwise.to_s)
    return value.to_i if value.match?(/\A[0-9]+\z/) && allowed.cover?(value.to_i)

    abort "#{name} must be a whole number from #{allowed.min} to #{allowed.max}, not \"#{value}\""
  end

  # An environment variable that is an address to which a path can be appended.
  def http_address(name, otherwise)
    value = text(name, otherwise)
    uri = URI(value.sub(%r{/+\z}, "")) if value.match?(%r{\Ahttp://[^\s/?#]+(/[^\s?#]*)?\z})
    return uri if uri&.host && !uri.host.empty? && uri.port.between?(1, 65_535)

    abort "#{name} must be an address such as #{otherwise}, not \"#{value}\""
  rescue URI::InvalidURIError
    abort "#{name} must be an address such as #{otherwise}, not \"#{value}\""
  end
end
