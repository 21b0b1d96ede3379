# frozen_string_literal: true

# Made by tierup from tierup.toml; changes here are lost at the next build.
#
# Makes calls on request (docs/driver.md): file descriptor 3 carries requests, 4 answers, both as length-prefixed
# frames. Calls use the package's public functions, so they take the same path as a server's calls.

FOLDER = {{folder}}

# The server's own functions by label. The one without a label is tier 0.
BASELINES = {{baselines}}.freeze

requests, answers = [3, 4].map { |number| IO.for_fd(number, number == 3 ? "rb" : "wb") }
# Processes started by calls must not inherit these descriptors.
[requests, answers].each { |pipe| pipe.close_on_exec = true }
answers.sync = true

# The gems that the server's modules need.
gemfile = File.join(FOLDER, "Gemfile")
if File.exist?(gemfile)
  ENV["BUNDLE_GEMFILE"] = gemfile
  require "bundler/setup"
end

# Files are found as in the server.
$LOAD_PATH.unshift(FOLDER, File.expand_path("../lib", __dir__))
require {{gem}}

class Driver
  OK = 0
  ERROR = 1
  PANIC = 2
  REFUSED = 3
  LOST = 4

  # An answer other than a value.
  class Failure < StandardError
    attr_reader :outcome

    def initialize(outcome, message)
      super(message)
      @outcome = outcome
    end
  end

  def initialize
    # The package, bound to each tier requested so far.
    @bindings = {}
  end

  # The answer's frame.
  def answer(request)
    source = {{module}}::Tierup::Wire::Reader.new(request)
    row = source.bytes(source.count).force_encoding(Encoding::UTF_8)
    number, repeat = source.count, source.count
    encoded = source.bytes(source.count)
    return frame(OK, 0, together(encoded)) if row == "together"
    return frame(OK, 0, close(row.delete_prefix("close "), repeat)) if row.start_with?("close ")

    nanoseconds, value = call(row, number, repeat, encoded)
    frame(OK, nanoseconds, value)
  rescue Failure => failure
    frame(failure.outcome, 0, failure.message)
  rescue StandardError, ScriptError => error
    frame(LOST, 0, error.full_message(highlight: false))
  end

  private

  # The answers to requests that are made at the same time.
  def together(encoded)
    source = {{module}}::Tierup::Wire::Reader.new(encoded)
    requests = Array.new(source.count) { source.bytes(source.count) }
    requests.map { |request| Thread.new { answer(request) } }.map(&:value).join
  end

  # Waits, closes a row's binding, and returns its metrics.
  def close(row, milliseconds)
    binding = bound(row)
    sleep(milliseconds / 1000.0)
    binding.close
    binding.metrics.map { |name, value| "#{name}=#{value}\n" }.join
  end

  def call(row, number, repeat, encoded)
    binding = bound(row)
    function = {{module}}::Tierup::FUNCTIONS.fetch(number)
    arguments = function.arguments(encoded)
    method = binding.method(function.name)
    value = nil
    begin
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      repeat.times { value = method.call(*arguments) }
      nanoseconds = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - start
    rescue StandardError, NotImplementedError => error
      raise Failure.new(outcome(row, error), error.message), cause: nil
    end
    begin
      [nanoseconds, function.encoded_output(value)]
    rescue {{module}}::Tierup::Mismatch => mismatch
      # Only a baseline can return a value that does not fit the signature.
      raise Failure.new(LOST, mismatch.refusal("answer").message), cause: nil
    end
  end

  def outcome(row, error)
    case error
    when {{module}}::Unavailable, {{module}}::TransportError then LOST
    when {{module}}::CallError then ERROR
    when {{module}}::PanicError then PANIC
    else
      # Any other exception of a baseline is its own error.
      if row.start_with?("0")
        ERROR
      else
        [TypeError, RangeError, ArgumentError].any? { |kind| kind === error } ? REFUSED : LOST
      end
    end
  end

  # The package at one tier, loaded at the first request.
  def bound(row)
    @bindings[row] ||= begin
      binding = {{module}}.with(tier: row, **baseline(row))
      # The start must not count as part of a call.
      binding.ready
      binding
    end
  rescue StandardError, LoadError => error
    raise Failure.new(LOST, error.message), cause: nil
  end

  def baseline(row)
    return {} unless row == "0" || row.start_with?("0:")

    # 0:free and 0:memo wrap the function of tier 0.
    label = %w[0:free 0:memo].include?(row) ? "" : row.delete_prefix("0").delete_prefix(":")
    name = BASELINES[label]
    return {} if name.nil?

    label.empty? ? { baseline: name } : { baselines: { label => name } }
  end

  def frame(outcome, nanoseconds, content)
    content = content.b
    [13 + content.bytesize, outcome, nanoseconds, content.bytesize].pack("VCQ<V") << content
  end
end

driver = Driver.new
while (header = requests.read(4)) && header.bytesize == 4
  length = header.unpack1("V")
  request = requests.read(length)
  break if request.nil? || request.bytesize < length

  answers.write(driver.answer(request))
end
$stdout.flush
# This also ends the workers of a pool.
exit!(true)
