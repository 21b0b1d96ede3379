# frozen_string_literal: true

# What is around a body: how large headers may be, how large a body, and that it is not compressed. Puma allows more.
class Envelope
  MOST_BYTES = 1024 * 1024
  MOST_HEADERS = 100
  MOST_HEADER_BYTES = 16 * 1024

  # A request that is refused for what is around its body.
  class Refused < StandardError
    attr_reader :status

    def initialize(status, message)
      super(message)
      @status = status
    end
  end

  # The body, whatever its type, with a length or in chunks: puma has read all of it.
  def self.body_of(env)
    encoding = env.fetch("HTTP_CONTENT_ENCODING", "")
    has_body = env.key?("CONTENT_LENGTH") || env.key?("HTTP_TRANSFER_ENCODING")
    raise Refused.new(415, "the body must not be compressed") if has_body && !["", "identity"].include?(encoding.downcase)

    body = env["rack.input"].read(MOST_BYTES + 1) || "".b
    raise Refused.new(413, "the body must be <= #{MOST_BYTES} bytes") if body.bytesize > MOST_BYTES

    body
  end

  def initialize(app)
    @app = app
  end

  def call(env)
    return too_large if too_large?(env)

    # Neither the query nor the type of the body counts. Rack would read parameters from both, and refuse some that have an answer.
    @app.call(env.merge("QUERY_STRING" => "", "CONTENT_TYPE" => "application/json"))
  end

  private

  def too_large?(env)
    headers = 0
    bytes = env["REQUEST_URI"].to_s.bytesize
    env.each do |name, value|
      next unless name.start_with?("HTTP_") || name == "CONTENT_LENGTH" || name == "CONTENT_TYPE"

      headers += 1
      bytes += name.bytesize + value.bytesize
    end
    headers > MOST_HEADERS || bytes > MOST_HEADER_BYTES
  end

  def too_large
    words = "more than #{MOST_HEADERS} headers, or #{MOST_HEADER_BYTES} bytes of them"
    [431, { "Content-Type" => "text/plain; charset=utf-8", "Content-Length" => words.bytesize.to_s }, [words]]
  end
end
