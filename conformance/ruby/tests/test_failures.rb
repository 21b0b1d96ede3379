# frozen_string_literal: true

# Failures as Ruby sees them. What all languages promise is in `crates/tierup/tests/conformance/failures.rs`.
class TestFailures < Minitest::Test
  C = Conformance

  def test_errors_are_of_their_class_and_have_no_cause
    each_tier do |c|
      assert_nil assert_raises(C::CallError) { c.fail("words") }.cause
      assert_nil assert_raises(C::PanicError) { c.panic_with("words") }.cause
    end
  end

  def test_a_stack_overflow_in_rust_ends_the_process_and_never_jumps_out_of_it
    # If Ruby handled the signal, it would jump out of Rust into `rescue`, without its lock. The three calls have different stacks.
    ['overflow.()', 'Thread.new(&overflow).join', 'Fiber.new(&overflow).resume'].each do |call|
      script = <<~RUBY
        require "conformance"
        Process.setrlimit(:CORE, 0)
        c = Conformance.with(tier: "3:native")
        overflow = -> { c.hang_on("deeply") rescue puts("jumped: \#{$!.class}") }
        begin
          #{call}
        rescue SystemStackError
          puts "jumped"
        end
      RUBY
      out, err, status = Timeout.timeout(120) { Open3.capture3(RbConfig.ruby, "-I", LIBRARY, "-e", script) }
      assert_equal "", out, call
      assert_includes err, "a Rust function at tier 3, as when its stack overflows", call
      assert_equal Signal.list["SEGV"], status.termsig, call
    end
  end

  def test_a_recursion_in_ruby_that_calls_rust_is_rubys_own_exception
    out = run_script(<<~'RUBY', "3:native")
      c = Conformance.with(tier: TIER)
      deep = ->(level) { c.echo_text("x"); [level].each { |one| deep.(one + 1) } }
      [-> { deep.(0) }, -> { Thread.new { Thread.current.report_on_exception = false; deep.(0) }.join }].each do |call|
        call.()
      rescue SystemStackError
        puts c.echo_text("after")
      end
    RUBY
    assert_equal "after\nafter\n", out
  end

  def test_the_sandbox_ends_what_nothing_else_can_end
    out = run_script(<<~'RUBY', "2:core", { "TIERUP_CALL_TIMEOUT" => "0.5" })
      c = Conformance.with(tier: TIER)
      call = lambda do
        3.times do
          c.hang_on("deeply")
        rescue Conformance::PanicError
          puts "overflow"
        end
        begin
          c.hang_on("really")
        rescue Conformance::CallTimeoutError => error
          puts error.message[/took longer than 0.5 s/]
        end
        puts c.echo_text("after")
      end
      call.call
      # Ruby's threads and fibers have less stack than the sandbox has.
      Thread.new(&call).join
      Fiber.new(&call).resume
      Process.wait(fork(&call))
    RUBY
    assert_equal "overflow\noverflow\noverflow\ntook longer than 0.5 s\nafter\n" * 4, out
  end

  def test_interrupts_do_not_cost_a_worker
    out = run_script(<<~'RUBY', "1:pool", { "TIERUP_WORKERS" => "2" })
      require "timeout"
      c = Conformance.with(tier: TIER)
      10.times do |number|
        if number.even?
          Timeout.timeout(0.05) { c.hang_on("really") } rescue puts($!.class)
        else
          thread = Thread.new { c.hang_on("really") }
          sleep 0.05
          thread.kill.join
        end
        abort "a wrong answer" unless c.echo_text(number.to_s) == number.to_s
      end
      c.close
      puts "closed"
    RUBY
    assert_equal "Timeout::Error\n" * 5 + "closed\n", out
  end

  def test_tiers_that_cannot_run_say_why
    error = assert_raises(C::Unavailable) { C.with(tier: "2:component") }
    assert_includes error.message, "no Wasm runtime"
    assert_includes assert_raises(ArgumentError) { C.with(tier: "5") }.message, "is not a tier"
    assert_includes assert_raises(ArgumentError) { C.with(tier: "0") }.message, "baseline"
    assert_raises(TypeError) { C.with(baseline: 5, tier: "0") }
  end

  def test_the_baseline_is_tier_0
    own = Module.new { def self.echo_text(text) = "own #{text}" }
    assert_equal "own x", C.with(baseline: own, tier: "0").echo_text("x")
    assert_equal "tuned x", C.with(baselines: { tuned: { echo_text: ->(text) { "tuned #{text}" } } }, tier: "0:tuned").echo_text("x")
    calls = 0
    free = C.with(baseline: { echo_text: ->(text) { calls += 1; text } }, tier: "0:free")
    assert_equal(%w[a a b], %w[a a b].map { |text| free.echo_text(text) })
    assert_equal 2, calls
    assert_raises(C::Unavailable) { free.fail("x") }
  end
end
