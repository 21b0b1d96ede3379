# frozen_string_literal: true

# What `tests/test_storm.rb` asks puma for: many calls in a request, panics, large payloads, and single calls that a killed worker may
# take with it.

require "conformance"
require "fiddle"

RUST = Conformance.with
RUST.ready

# Raised where an answer is not the right one.
class Wrong < StandardError; end

calls = lambda do |count|
  count.times do |number|
    text = "#{Process.pid} #{number} ä"
    raise Wrong, text unless RUST.echo_text(text) == text
    raise Wrong, text if (number % 10).zero? && RUST.echo_texts([text, ""]) != [text, ""]
  end
end

panics = lambda do |count|
  count.times do |number|
    RUST.panic_with("panic #{number}")
    raise Wrong, "no panic"
  rescue Conformance::PanicError => error
    raise Wrong, error.message unless error.message.start_with?("panic #{number}, at ")
  end
end

# Gives back what is not in use: Ruby collects and C's library trims only now and then, and at `2:core` a thread keeps its memory of
# Wasm, as large as its largest call since the last panic. The thread's name tells the test which have done so; it waits, so that
# others take the next requests.
TRIM = Fiddle::Function.new(Fiddle.dlopen(nil)["malloc_trim"], [Fiddle::TYPE_SIZE_T], Fiddle::TYPE_INT)
collect = lambda do
  panics.(1)
  GC.start
  TRIM.call(0)
  sleep 0.01
  "#{Process.pid} #{Thread.current.object_id}"
end

run lambda { |env|
  begin
    count = env["QUERY_STRING"].to_i
    answer = case env["PATH_INFO"]
             when "/calls" then calls.(count).to_s
             when "/panics" then panics.(count).to_s
             when "/bytes" then RUST.echo_bytes(env["rack.input"].read)
             when "/work" then RUST.churn(count, 200_000).to_s
             when "/text" then RUST.echo_text(env["rack.input"].read.force_encoding(Encoding::UTF_8))
             when "/collect" then collect.call
             end
    [answer ? 200 : 404, {}, [answer.to_s]]
  rescue Conformance::TransportError => error
    [503, {}, [error.message]]
  rescue StandardError => error
    [500, {}, ["#{error.class}: #{error.message}"]]
  end
}
