# frozen_string_literal: true

# Threads, forks, fibers, servers with workers, memory.

require "net/http"
require "socket"
require_relative "scheduler"

class TestProcesses < Minitest::Test
  def test_two_threads_run_rust_at_the_same_time
    skip "one processor" if Etc.nprocessors < 2
    # Two calls hang in Rust, and a third is answered. That needs no measured time.
    %w[1:pool 2:core 3:native 3:async].each do |tier|
      out = run_script(<<~'RUBY', tier, { "TIERUP_WORKERS" => "3" })
        c = Conformance.with(tier: TIER)
        threads = Array.new(2) { Thread.new { c.hang_on("really") } }
        sleep 0.3
        abort "wrong" unless c.echo_text("meanwhile") == "meanwhile" && threads.all?(&:alive?)
        puts "ran"
        exit!(true)
      RUBY
      assert_equal "ran\n", out
    end
  end

  def test_a_process_that_used_the_package_ends_by_itself
    TIERS.each { |tier| assert_equal "x\n", run_script('puts Conformance.with(tier: TIER).echo_text("x")', tier) }
  end

  def test_a_forked_child_has_what_its_parent_had
    TIERS.each do |tier|
      out = run_script(<<~'RUBY', tier)
        c = Conformance.with(tier: TIER)
        c.echo_text("before")
        stop = false
        threads = Array.new(4) { Thread.new { c.echo_text("busy") == "busy" || abort("wrong") until stop } }
        10.times do
          child = fork do
            right = (0..3).all? { |n| c.echo_text("child #{n}") == "child #{n}" }
            begin
              c.panic_with("x")
              right = false
            rescue Conformance::PanicError
              nil
            end
            exit!(right)
          end
          Process.wait(child)
          abort "a child failed" unless $?.success?
        end
        stop = true
        threads.each(&:join)
        abort "wrong" unless c.echo_text("after") == "after"
        c.close
        puts "ran"
      RUBY
      assert_equal "ran\n", out, tier
    end
  end

  def test_other_fibers_go_on_during_a_call_at_3_async
    order = []
    thread = Thread.new do
      Fiber.set_scheduler(Scheduler.new)
      c = Support.at("3:async")
      Fiber.schedule { c.churn(1, 1_000_000); 20.times { c.churn(1, 1_000_000) }; order << :calls }
      Fiber.schedule { sleep 0.001; order << :other }
    end
    thread.join
    assert_equal %i[other calls], order
    failed = Thread.new do
      Fiber.set_scheduler(Scheduler.new)
      Fiber.schedule { Support.at("3:async").fail("words") rescue order << $!.message }
    end
    failed.join
    assert_equal "words", order.last
  end

  def test_the_pool_works_under_a_fiber_scheduler
    answers = []
    Thread.new do
      Fiber.set_scheduler(Scheduler.new)
      10.times { |number| Fiber.schedule { answers << Support.at("1:pool").echo_u8(number) } }
    end.join
    assert_equal (0..9).to_a, answers.sort
  end

  def test_memory_stays_flat
    %w[3:native 2:core 1:pool].each do |tier|
      out = run_script(<<~'RUBY', tier)
        c = Conformance.with(tier: TIER)
        resident = -> { GC.start; File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i }
        text = "ä" * 5_000
        round = lambda do |calls, panics|
          calls.times { c.echo_text(text) }
          (calls / 10).times { c.echo_texts([text]) }
          panics.times { c.panic_with("p" * 1000) rescue nil }
          panics.times { c.fail("e" * 1000) rescue nil }
        end
        calls, panics = ENV["TIERUP_LONG"] == "1" && TIER != "1:pool" ? [40_000, 4_000] : [4_000, 400]
        round.(calls, panics)
        # Ruby's heap grows in steps, so some rounds do not grow. With a leak, every round does.
        growth = Array.new(4) do
          before = resident.call
          round.(calls, panics)
          resident.call - before
        end
        puts growth.min
      RUBY
      # In KiB: a leak of 1,000 bytes a call would be twice as much, and one of 100 bytes with TIERUP_LONG=1.
      assert_operator Integer(out), :<, 2_000, tier
    end
  end

  def test_puma_with_workers_and_threads
    TIERS.each do |tier|
      port = free_port
      log = File.join(Dir.tmpdir, "tierup-conformance-ruby-#{Process.pid}.log")
      environment = { "TIERUP_TIER" => tier, "TIERUP_WORKERS" => "1" }
      command = ["-I", LIBRARY, "-S", "puma", "--workers", "2", "--threads", "5:5", "--preload", "--bind", "tcp://127.0.0.1:#{port}", "config.ru"]
      server = Process.spawn(environment, RbConfig.ruby, *command, chdir: File.expand_path("..", __dir__), %i[out err] => log)
      begin
        wait_until("puma does not answer") { get(port, "/?abc") rescue nil }
        processes = Queue.new
        Array.new(10) do |client|
          Thread.new do
            count = tier == "1:spawn" ? 5 : 100
            count.times do |number|
              answer, process = get(port, "/?#{client}-#{number}").split
              raise "wrong: #{answer}" unless answer == "#{client}-#{number}".reverse

              processes << process
              raise "no panic" unless get(port, "/panic") == "requested"
              raise "no error" unless get(port, "/error") == "requested"
            end
          end
        end.each(&:join)
        assert_equal 2, Array.new(processes.size) { processes.pop }.uniq.size, "both workers answer, and are the same to the end"
      ensure
        Process.kill(:TERM, server)
        Process.wait(server)
        File.delete(log)
      end
    end
  end

  private

  def get(port, target)
    response = Net::HTTP.start("127.0.0.1", port, open_timeout: 20, read_timeout: 60) { |http| http.get(target) }
    raise "#{response.code}: #{response.body[0, 300]}" unless response.code == "200"

    response.body
  end
end
