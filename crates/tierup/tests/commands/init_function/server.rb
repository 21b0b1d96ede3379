require "socket"
require "uri"
require_relative "lib/words"

# This method's path is in UTF-16, so it cannot be a file's.
eval("def trim(text) = text.strip", binding, "a".encode("UTF-16LE"))

# The server runs in a child process, with a thread per connection.
listener = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
worker = fork do
  loop do
    Thread.new(listener.accept) do |socket|
      loop do
        target = socket.gets&.split&.fetch(1) or break
        nil until socket.gets.strip.empty?
        text = trim(URI.decode_www_form(target.split("?", 2)[1].to_s).assoc("text").last)
        body = begin
          [*Words.tally(text).to_a, Words.shout(text), Desk.new("!").cry(text)].join(" ")
        rescue ArgumentError => error
          error.message
        end
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}")
      end
    end
  end
end
trap("TERM") { Process.kill("TERM", worker) }
Process.wait(worker)
