# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# `1:pool`: the companion that starts its workers, and what the package does when a start, a worker or the companion fails. The rules of
# starts are the companion's own: `crates/tierup-codegen/tests/companion/`.
class TestCompanion < Minitest::Test
  C = Conformance

  # Only the first worker starts.
  def test_calls_that_have_a_worker_do_not_learn_that_another_did_not_start
    Dir.mktmpdir do |folder|
      FileUtils.cp_r(File.expand_path("..", LIBRARY), File.join(folder, "ruby"))
      program = File.join(folder, "ruby/artifacts/conformance")
      FileUtils.mv(program, "#{program}.real")
      File.write(program, <<~'SH')
        #!/bin/bash
        [ "$1" = --tierup-companion ] && exec -a "$0" "$0.real" "$@"
        mkdir "$0.started" 2>/dev/null || { sleep 0.5; exit 2; }
        exec "$0.real" "$@"
      SH
      File.chmod(0o755, program)
      out = run_script(<<~'RUBY', "1:pool", { "TIERUP_WORKERS" => "2" }, File.join(folder, "ruby/lib"))
        c = Conformance.with(tier: TIER)
        puts Array.new(20) { |n| Thread.new { c.echo_text("call #{n}") == "call #{n}" } }.map(&:value).uniq
        begin
          c.ready
        rescue Conformance::TransportError => error
          puts error.message
        end
      RUBY
      assert_equal "true\n#{program} ended with exit code 2: standard error has its last words\n", out
    end
  end

  def test_the_companion_is_started_anew_and_its_workers_live_on
    with_pool do |c|
      workers = workers_of(Process.pid)
      kill(*companions)
      assert_equal "a", c.echo_text("a")
      kill(*workers)
      wait_until("a worker lives on") { workers.none? { |worker| lives?(worker) } }
      # No call goes to a worker that has ended.
      workers.size.times { |number| assert_equal number.to_s, c.echo_text(number.to_s) }
      c.ready
      assert_equal 1, companions.size
      assert_equal workers.size, workers_of(Process.pid).size
    end
  end

  def test_kills_at_random_lose_calls_but_give_no_wrong_answer
    with_pool do |c|
      is_over = false
      right = [0] * 4
      calls = Array.new(4) do |client|
        Thread.new do
          until is_over
            begin
              text = "#{client} #{right[client]}"
              raise "a wrong answer" unless c.echo_text(text) == text

              right[client] += 1
            rescue C::TransportError
              # Its worker was killed.
            end
          end
        end
      end
      20.times do |number|
        before = right.sum
        kill(*(number % 4 == 3 ? companions : workers_of(Process.pid)).first(1))
        wait_until("no call is answered any more") { right.sum > before }
      end
      is_over = true
      calls.each(&:join)
      assert_equal "after", c.echo_text("after")
    end
  end

  def test_a_forked_child_uses_its_parents_companion_while_there_is_one
    with_pool do |c|
      [0, 1].each do |count|
        kill(*companions) if count == 1
        wait_until("the companion lives on") { companions.size == 1 - count }
        child = fork do
          is_right = c.echo_text("x") == "x" && companions.size == count
          c.close
          exit!(is_right && programs.empty?)
        end
        Process.wait(child)
        assert $?.success?
        assert_equal "parent", c.echo_text("parent")
      end
    end
  end

  def test_limits
    with_pool({ "TIERUP_WORKERS" => "1", "TIERUP_CALL_QUEUE" => "3" }) do |c|
      failed = Array.new(20) { |seed| Thread.new { c.churn(seed, 200_000) && nil rescue $!.message } }.filter_map(&:value).uniq
      assert_equal ["3 calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)"], failed
    end
    with_pool({ "TIERUP_WORKERS" => "1", "TIERUP_CALL_TIMEOUT" => "4" }) do |c|
      # A stopped worker does not read its arguments.
      workers = workers_of(Process.pid).each { |worker| Process.kill(:STOP, worker) }
      assert_includes assert_raises(C::CallTimeoutError) { c.echo_text("x" * (16 << 20)) }.message, "took longer than 4 s"
      kill(*workers)
    end
  end

  def test_metrics_tell_time_outs_from_lost_calls
    with_pool({ "TIERUP_WORKERS" => "1", "TIERUP_CALL_TIMEOUT" => "4" }) do |c|
      assert_raises(C::CallTimeoutError) { c.hang_on("really") }
      call = Thread.new { c.hang_on("really") rescue $!.class }
      kill(*workers_of(Process.pid)) while call.alive?
      assert_equal C::TransportError, call.value
      assert_equal "a", c.echo_text("a")
      assert_equal [3, 0, 0, 1, 1], c.metrics.values_at(:calls, :errors, :panics, :timeouts, :lost)
    end
  end

  def test_a_companion_that_somebody_else_has_started
    Dir.mktmpdir do |folder|
      socket = File.join(folder, "own.sock")
      with_pool({ "TIERUP_POOL_SOCKET" => socket }, is_ready: false) do |c|
        assert_includes assert_raises(C::TransportError) { c.echo_text("early") }.message, "(TIERUP_POOL_SOCKET): does its program run?"
        companion = Process.spawn("#{LIBRARY}/../artifacts/conformance", "--tierup-listen", socket, C::Tierup::ABI)
        wait_until("it does not listen") { File.exist?(socket) }
        c.ready
        assert_equal "x", c.echo_text("x")
        assert_empty companions
      ensure
        kill(companion)
        Process.wait(companion)
      end
    end
  end

  private

  # Yields the package with a pool of its own, whose processes end after the block.
  def with_pool(environment = {}, is_ready: true)
    before = environment.to_h { |name, _| [name, ENV.fetch(name, nil)] }
    # Otherwise this would get the pool that all tests share.
    Support.release("1:pool")
    ENV.update(environment)
    c = C.with(tier: "1:pool")
    c.ready if is_ready
    yield c
  ensure
    ENV.update(before)
    c&.close
    wait_until("a process outlives its binding") { programs.empty? }
  end

  def companions = programs(Process.pid, "--tierup-companion")

  def kill(*processes)
    processes.each do |process|
      Process.kill(:KILL, process)
    rescue Errno::ESRCH
      # The process had already ended.
    end
  end
end
