# frozen_string_literal: true

# The smallest possible server, which `tierup serve` starts here: one request after the other.

$LOAD_PATH.unshift File.expand_path("../.tierup/ruby/lib", __dir__)

require "socket"
require "uri"
require "conformance"
require_relative "own"

rust = Conformance.with(baseline: Own)
listener = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT", "8080")))
%w[INT TERM].each { |signal| trap(signal) { exit } }
$stdout.sync = true
puts "listening on port #{listener.addr[1]} (tier #{rust.tier})"
loop do
  client = listener.accept
  target = client.gets.to_s.split[1].to_s
  nil until client.gets.to_s.strip.empty?
  text = URI.decode_www_form(target.split("?", 2)[1].to_s).assoc("text")&.last.to_s
  body = rust.echo_text(text).b
  client.write("HTTP/1.1 200 OK\r\nContent-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n".b + body)
  client.close
end
