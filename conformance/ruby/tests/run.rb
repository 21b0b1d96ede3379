# frozen_string_literal: true

# Tests that only Ruby can express: values, threads, forks, interrupts, memory, servers. All tests: `ruby tests/run.rb`;
# some of them: `ruby tests/run.rb -n /fork/`.

LIBRARY = File.expand_path("../../.tierup/ruby/lib", __dir__)
$LOAD_PATH.unshift(LIBRARY)
ENV["TIERUP_WORKERS"] ||= "2"

require "minitest/autorun"
require_relative "support"
Dir.glob("test_*.rb", base: __dir__).sort.each { |file| require_relative file }
