# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# `1:pool`: a worker that does not start, and forks. What all languages promise is in `crates/tierup/tests/conformance/starts.rs`.
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

  private

  # Yields the package with a pool of its own, whose processes end after the block.
  def with_pool
    # Otherwise this would get the pool that all tests share.
    Support.release("1:pool")
    c = C.with(tier: "1:pool")
    c.ready
    yield c
  ensure
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
