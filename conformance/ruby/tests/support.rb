# frozen_string_literal: true

# What the tests share: the package at each tier, and scripts in a process of their own.

require "conformance"
require "open3"
require "socket"
require "timeout"

module Support
  TIERS = %w[1:spawn 1:pool 2:core 3:native 3:async].freeze

  # Yields the package at each tier.
  def each_tier(tiers = TIERS)
    tiers.each { |tier| yield Support.at(tier), tier }
  end

  # The package at a tier, kept for all tests.
  def self.at(tier)
    @at ||= {}
    @at[tier] ||= Conformance.with(tier: tier)
  end

  def self.release(tier) = @at&.delete(tier)&.close

  # Runs a script in a process of its own, which must end by itself. Returns its standard output.
  def run_script(script, tier, environment = {}, library = LIBRARY)
    head = "$stdout.sync = true\nrequire \"conformance\"\nTIER = #{tier.inspect}\n"
    Timeout.timeout(120) do
      out, err, status = Open3.capture3(environment, RbConfig.ruby, "-I", library, "-e", head + script)
      assert status.success?, "#{tier}: #{status}: #{err}"
      out
    end
  end

  def wait_until(what, seconds = 60)
    deadline = now + seconds
    sleep 0.02 until (is_so = yield) || now > deadline
    assert is_so, what
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # A port below those that the system gives to clients: a client's connection could take such a port before the server listens.
  def free_port
    port = rand(20_000...32_000)
    TCPServer.open("127.0.0.1", port) { port }
  rescue Errno::EADDRINUSE
    retry
  end

  # The processes of the program below a process; with a mark, only the companion or its workers.
  def programs(process = Process.pid, mark = "--tierup-")
    found = `ps -wweo pid,ppid,stat,args`.lines.drop(1).map { |line| line.split(nil, 4) }
    below = [process.to_s]
    4.times { below |= found.filter_map { |own, parent,| own if below.include?(parent) } }
    found.filter_map { |own, _, state, args| Integer(own) if below.include?(own) && !state.start_with?("Z") && args.include?(mark) }
  end

  # The workers that a process has.
  def workers_of(process) = programs(process, "--tierup-connection")

  def lives?(process)
    Process.kill(0, process) == 1
  rescue Errno::ESRCH
    false
  end
end

Minitest::Test.include(Support)
