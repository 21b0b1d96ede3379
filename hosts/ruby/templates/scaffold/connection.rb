# frozen_string_literal: true

# A connection of HTTP/1.1: its requests, one after another. After a request with a body, it is closed.
class Connection
  REASONS = {
    200 => "OK", 400 => "Bad Request", 404 => "Not Found", 405 => "Method Not Allowed",
    431 => "Request Header Fields Too Large", 500 => "Internal Server Error", 503 => "Service Unavailable",
  }.freeze
  LONGEST_LINE = 16_384
  MOST_HEADERS = 100

  def initialize(socket)
    @socket = socket
  end

  # Yields each request's method and target. The block returns a status, a text and headers.
  def serve(&answer)
    nil while serve_one(&answer)
  rescue SystemCallError, IOError
    # The client has disconnected.
    nil
  ensure
    @socket.close
  end

  private

  # Whether another request may follow.
  def serve_one
    line = @socket.gets("\n", LONGEST_LINE) or return false
    method, target, version = line.split
    headers = read_headers
    return send_answer(431, "request too large", close: true) if headers.nil?
    return send_answer(400, "bad request", close: true) unless line.end_with?("\n") && version&.start_with?("HTTP/1.")

    # A body is not read, so the connection cannot be used again.
    close = version == "HTTP/1.0" || headers["connection"].to_s.downcase == "close"
    close ||= headers.key?("content-length") || headers.key?("transfer-encoding")
    status, text, more = yield(method, target)
    send_answer(status, text, more || {}, with_body: method != "HEAD", close: close)
  end

  # The headers by name in lower case; nil if they are too long.
  def read_headers
    headers = {}
    (MOST_HEADERS + 1).times do
      line = @socket.gets("\n", LONGEST_LINE) or return nil
      return nil unless line.end_with?("\n")
      return headers if line.strip.empty?

      name, value = line.split(":", 2)
      headers[name.downcase] = value.to_s.strip
    end
    nil
  end

  def send_answer(status, text, more = {}, with_body: true, close: false)
    body = text.b
    headers = { "Content-Type" => "text/plain; charset=utf-8", "Content-Length" => body.bytesize, **more }
    headers["Connection"] = "close" if close
    head = headers.map { |name, value| "#{name}: #{value}\r\n" }.join
    # One write, so that no packet waits for another.
    @socket.write("HTTP/1.1 #{status} #{REASONS.fetch(status)}\r\n#{head}\r\n".b + (with_body ? body : ""))
    !close
  end
end
