# frozen_string_literal: true

# What the test of puma's workers serves: text, backwards, and the process that did it; a panic; an error.

require "conformance"

RUST = Conformance.with
RUST.ready

run lambda { |env|
  case env["PATH_INFO"]
  when "/panic"
    begin
      RUST.panic_with("requested")
      [500, {}, ["no panic"]]
    rescue Conformance::PanicError => error
      [200, {}, [error.message[0, 9]]]
    end
  when "/error"
    begin
      RUST.fail("requested")
      [500, {}, ["no error"]]
    rescue Conformance::CallError => error
      [200, {}, [error.message]]
    end
  else
    [200, {}, ["#{RUST.print_and_return(env["QUERY_STRING"])} #{Process.pid}"]]
  end
}
