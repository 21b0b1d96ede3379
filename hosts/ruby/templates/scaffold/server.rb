# frozen_string_literal: true

# A small server: GET /slug?text=…

$LOAD_PATH.unshift File.expand_path("../tierup/{{name}}/lib", __dir__)

require "socket"
require "uri"
require "{{gem}}"
require_relative "baseline"
require_relative "connection"

# TIERUP_TIER decides how {{function}} runs: 0 is the baseline, 3:native an extension, …
RUST = {{module}}.with(baseline: Baseline)

PATHS = ["/slug", "/livez", "/readyz"].freeze

# The status and the text for a request, and perhaps headers.
def answer(method, target)
  path, query = target.split("?", 2)
  return [404, "not found"] unless PATHS.include?(path)
  return [405, "method not allowed", { "Allow" => "GET, HEAD" }] unless %w[GET HEAD].include?(method)
  return slug(query.to_s) if path == "/slug"
  return [200, "ok"] if path == "/livez"

  begin
    RUST.check_health
    [200, "ok"]
  rescue StandardError => error
    warn "not ready: #{error.message}"
    [503, "not ready"]
  end
rescue StandardError => error
  warn "#{target}: #{error.full_message(highlight: false)}"
  [500, "internal error"]
end

def slug(query)
  text = URI.decode_www_form(query).assoc("text")&.last
  return [400, 'query parameter "text" is missing'] if text.to_s.empty?
  return [400, 'query parameter "text" is not UTF-8'] unless text.valid_encoding?

  [200, RUST.slugify(text)]
rescue ArgumentError
  [400, "malformed query string"]
rescue {{module}}::CallError, Baseline::SlugError => error
  # The function's own error is for the caller. The message of any other exception may be private.
  [400, error.message]
end

host = ENV.fetch("HOST", "127.0.0.1")
port = Integer(ENV.fetch("PORT", "8080"))
begin
  listener = TCPServer.new(host, port)
  listener.listen(512)
rescue SystemCallError => error
  abort "cannot listen on #{host}:#{port}: #{error.message}"
end
%w[INT TERM].each { |signal| trap(signal) { exit } }
$stdout.sync = true
puts "listening on http://#{host}:#{port} (tier #{RUST.tier})"
begin
  loop do
    socket = listener.accept
    socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    Thread.new { Connection.new(socket).serve { |method, target| answer(method, target) } }
  end
ensure
  RUST.close
end
