# frozen_string_literal: true

# Whether two threads make a number of calls in half the time of one thread: they do if no lock is held while Rust runs.
# `ruby halves.rb`, after `tierup build conformance --hosts ruby`, on a machine with two idle processors. Not a test, as others
# may want the processors, too.

require "etc"
$LOAD_PATH.unshift File.expand_path("../.tierup/ruby/lib", __dir__)
ENV["TIERUP_WORKERS"] = "2"
require "conformance"

CALLS = 40
ROUNDS = 21

# How many milliseconds all calls take, shared out between so many threads.
def taken(rust, threads)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
  Array.new(threads) { |seed| Thread.new { (CALLS / threads).times { rust.churn(seed, 1_000_000) } } }.each(&:join)
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond) - start
end

puts "Ruby #{RUBY_VERSION}, #{Etc.nprocessors} processors, #{ROUNDS} rounds of #{CALLS} calls; load #{File.read("/proc/loadavg").split.first} before"
%w[1:pool 2:core 3:native].each do |tier|
  rust = Conformance.with(tier: tier)
  rust.ready
  taken(rust, 2)
  rounds = Array.new(ROUNDS) { |round| round.even? ? [taken(rust, 1), taken(rust, 2)] : [taken(rust, 2), taken(rust, 1)].reverse }
  alone, together = rounds.transpose.map { |times| times.sort[ROUNDS / 2] }
  ratios = rounds.map { |one, two| two / one }.sort
  puts format("%-9s one thread %5.1f ms, two %5.1f ms: %.2f [%.2f, %.2f]", tier, alone, together, ratios[ROUNDS / 2], ratios[2], ratios[-3])
  rust.close
end
