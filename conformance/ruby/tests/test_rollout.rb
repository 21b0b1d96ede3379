# frozen_string_literal: true

require "json"
require "tmpdir"
require_relative "../different"

# TIERUP_ROLLOUT in Ruby alone: threads, forks, interrupts, signals, values of other types. What all languages promise is in
# crates/tierup/tests/conformance/rollout.rs.
class TestRollout < Minitest::Test
  C = Conformance
  SHADOW = "candidate=3:native\nshadow=1\nkeep=values\n"
  SHARE = "candidate=3:native\nshare=1\n"
  COUNTS = %w[calls sampled too_large refused dropped shared erred errors panics timeouts lost].freeze

  def setup
    @folder = Dir.mktmpdir
    @path = File.join(@folder, "rollout")
  end

  def teardown = FileUtils.rm_rf(@folder)

  def test_calls_that_rust_would_refuse_are_counted_and_their_values_forgotten
    rollout(SHADOW) do |c|
      # The caller gets the server's own error.
      assert_equal "own words for it", assert_raises(RuntimeError) { c.fail("it") }.message
      # The control changes its arguments. The candidate gets them unchanged.
      texts = %w[a b]
      assert_equal [%w[a b], []], [c.echo_texts(texts), texts]
      assert_equal 7, c.echo_text(7)
      wait_until("#{counts} are there") { counts.sum { |one| one["compared"] } == 2 && host.first(5) == [3, 3, 0, 1, 0] }
      assert counts.first["host"]["refusal"].start_with?("echo_text: text: "), counts
      File.write(@path, SHADOW.sub("keep=values\n", ""))
      wait_until("the reason is still there") { counts.first["host"]["refusal"] == "echo_text" }
      assert_equal [3, 1, 0], c.metrics.values_at(:calls, :errors, :panics)
    end
    assert_equal 0, counts.first["different"]
  end

  def test_no_value_of_a_refused_call_is_written_unless_the_control_file_asks_for_it
    rollout("candidate=3:native\nshadow=1\n") { |c| assert_equal 7, c.echo_text(7) }
    assert_equal "echo_text", counts.first["host"]["refusal"]
  end

  def test_a_call_is_counted_once
    rollout(SHARE) do |c|
      assert_equal ["X", 7], [c.panic_if(true, "x"), c.echo_text(7)]
      assert_match(/own words/, assert_raises(RuntimeError) { c.fail("it") }.message)
      assert_equal [3, 1, 0], c.metrics.values_at(:calls, :errors, :panics)
    end
    assert_equal({ "calls" => 3, "shared" => 3, "panics" => 1, "errors" => 1, "refused" => 1 }, COUNTS.zip(host).to_h.reject { |_, count| count.zero? })
  end

  def test_a_death_in_a_forked_child_is_noticed
    File.write(@path, SHARE)
    die = "fork { c.ready; c.hang_on('deeply') }; exit(Process.wait2.last.signaled?)"
    assert_equal([true, true], Array.new(2) { script(die).last.success? })
    assert_equal ["6"], answers(SHARE, "puts c.hang_on('deeply')").first
  end

  def test_threads_and_forked_children_count_and_are_answered
    rollout("candidate=3:native\nshadow=0.1\nshare=0.5\nkeep=values\n") do |c|
      Array.new(4) { Thread.new { 2000.times { c.echo_text("a") == "a" || raise("wrong") } } }.each(&:join)
      child = fork do
        c.ready
        is_right = true
        # The forked child does not assert: an assertion's exception would make it run the other tests.
        100_000.times do
          is_right &&= c.echo_text("b") == "b"
          break if counts.any? { |one| one["host"]["process"] == Process.pid.to_s && one["host"]["calls"].positive? }

          sleep 0.01
        end
        c.close
        exit!(is_right && programs.empty? && Thread.list.size == 1)
      end
      assert_predicate Process.wait2(child).last, :success?
      assert_equal "a", c.echo_text("a")
    end
    assert_equal 8001, counts.map { |one| one["host"].fetch("calls", 0) }.max
    assert_empty Dir.glob("#{@path}.evidence/*.{call,died}")
    assert_empty Thread.list.map(&:name) & ["tierup-rollout"]
  end

  def test_arguments_and_errors_whose_own_methods_raise_reach_nobody
    code = <<~'RUBY'
      class Bad < StandardError
        def message = raise(KeyError, "its own")
      end
      class Text
        def to_str = raise(Bad)
        def ==(other) = raise(Bad)
        def hash = raise(Bad)
      end
      deep = []
      deep << deep
      own = { echo_text: ->(text) { 1 }, echo_map: ->(map) { 2 }, echo_texts: ->(texts) { 3 }, fail: ->(words) { raise Bad } }
      b = Conformance.with(baseline: own, tier: "0")
      p b.echo_text(Text.new), b.echo_map({ Text.allocate.tap { |text| def text.hash = 1 } => 1 }), b.echo_texts(deep), b.echo_texts([Text.new])
      begin
        b.fail("x")
      rescue Bad
        p 4
      end
    RUBY
    [SHADOW, SHARE].each { |lines| assert_equal %w[1 2 3 3 4], answers(lines, code).first }
  end

  # Interrupts every kind of call, those of the candidate and compared ones: interrupts reach the caller, and leave no wrong state.
  def test_whatever_ends_a_call_from_outside_passes
    code = <<~'RUBY'
      class Late < StandardError; end
      class Number
        def initialize(&act) = @act = act
        def to_str = @act.call
      end
      calls = 0
      own = { echo_text: ->(text) { calls += 1; String === text ? text : text.to_str } }
      b = Conformance.with(baseline: own, tier: "0")
      def caught
        yield.inspect
      rescue Exception
        $!.class
      end
      trap(:USR1) { raise Late }
      puts caught { b.echo_text(Number.new { raise Interrupt }) }
      puts caught { b.echo_text(Number.new { exit(3) }) }
      puts caught { b.echo_text(Number.new { raise NoMemoryError }) }
      puts caught { Timeout.timeout(0.2) { b.echo_text(Number.new { sleep 1 }) } }
      puts caught { Timeout.timeout(0.2, Late) { b.echo_text(Number.new { sleep 2; "x" }) } }
      puts caught { catch(:done) { b.echo_text(Number.new { throw :done, "thrown" }) } }
      thread = Thread.new { b.echo_text(Number.new { sleep 1; "x" }) }
      sleep 0.3
      thread.kill.join
      def deeper(b, depth) = [b.echo_text("a"), deeper(b, depth + 1)]
      puts caught { deeper(b, 0) }
      puts b.echo_text("after")
      marks = Dir.glob("#{ENV["TIERUP_ROLLOUT"]}.evidence/*.call").map { |file| File.read(file, 1) }
      puts marks.inspect
    RUBY
    passed = %w[Interrupt SystemExit NoMemoryError Timeout::Error TestLate "thrown" SystemStackError after].map { |word| word.sub("Test", "") }
    assert_equal [*passed, '["0"]'], answers(SHARE, code).first
    assert_equal [*passed, "[]"], answers(SHADOW, code).first
  end

  # The mark is a file that says whether the process is in a call of the candidate.
  def test_interrupts_at_random_leave_the_mark_right
    code = <<~'RUBY'
      class Late < StandardError; end
      class Text
        def to_str = "a".tap { $wrong += 1 if File.read($mark, 1) != "1" }
      end
      Thread.report_on_exception = false
      $wrong = 0
      $mark = Dir.glob("#{ENV["TIERUP_ROLLOUT"]}.evidence/*.call").first
      b = Conformance.with(baseline: { echo_text: ->(text) { "a" } }, tier: "0")
      caller = -> { Thread.new { loop { ($wrong += 1 if b.echo_text([Text.new, "a"].sample) != "a") rescue Late } } }
      threads = Array.new(6) { caller.call }
      300.times do |number|
        threads.sample.raise(Late)
        sleep 0.0005
        threads.shift.kill && threads << caller.call if (number % 10).zero?
      end
      threads.each(&:kill).each { |thread| thread.join rescue Late }
      puts $wrong, File.read($mark, 1)
    RUBY
    assert_equal %w[0 0], answers(SHARE, code).first
  end

  def test_calls_of_signal_handlers_in_the_middle_of_a_call_are_answered
    code = <<~'RUBY'
      wrong = 0
      trap(:USR1) { wrong += 1 if c.echo_text("b") != "b" }
      is_over = false
      sender = Thread.new { (Process.kill(:USR1, $$) && sleep(0.0005)) until is_over }
      20_000.times { wrong += 1 if c.echo_text("a") != "a" }
      is_over = true
      sender.join
      puts wrong
    RUBY
    assert_equal ["0"], answers("#{SHARE.sub("=1", "=0.5")}shadow=1\n", code).first
  end

  def test_a_broken_connection_ends_nobody_who_wants_to_be_ended_by_broken_pipes
    code = <<~RUBY
      require "minitest"
      require #{File.join(__dir__, "support").inspect}
      include Support
      trap(:PIPE, "SYSTEM_DEFAULT")
      programs.each { |process| Process.kill(:KILL, process) }
      sleep 0.1
      10.times { c.echo_text("a") }
      puts "lives"
    RUBY
    assert_equal ["lives"], answers(SHADOW, code).first
  end

  def test_a_daemon_has_a_thread_and_descriptors_of_its_own
    File.write(@path, SHARE)
    out = File.join(@folder, "said")
    script(<<~RUBY)
      Process.daemon(true, true)
      c.ready
      200.times { c.echo_text("😀") == "😀" ? break : sleep(0.1) }
      marks = Dir.glob("#{@path}.evidence/\#{$$}-*.call")
      File.write("#{out}.part", c.echo_text("😀") + marks.size.to_s)
      File.rename("#{out}.part", "#{out}")
    RUBY
    wait_until("it is not there") { File.exist?(out) }
    assert_equal "😀1", File.read(out)
  end

  # A program that becomes a daemon closes descriptors, and files that the server opens later get their numbers.
  def test_descriptors_that_somebody_has_closed_are_not_written_to
    said, err = answers("candidate=3:native\nshare=1\nshadow=1\nkeep=values\n", <<~'RUBY')
      c.echo_text("a") until Dir.glob("#{ENV["TIERUP_ROLLOUT"]}.evidence/*.call").any?
      sleep 1.5
      3.upto(200) do |number|
        is_ours = File.for_fd(number, autoclose: false).stat.then { |stat| stat.socket? || stat.file? }
        IO.for_fd(number).close if is_ours
      rescue SystemCallError, ArgumentError
        nil
      end
      ours = UNIXSocket.pair + Array.new(20) { |number| File.open("#{ENV["TIERUP_ROLLOUT"]}.#{number}", "w+").tap { |file| file.syswrite("mine") } }
      p (1..50).all? { |number| c.echo_text(number.to_s) == number.to_s }
      sleep 1.5
      p ours.drop(2).all? { |file| file.pread(9, 0) == "mine" }, ours[0].wait_readable(0).nil?, ours[1].wait_readable(0).nil?
      exit!(0)
    RUBY
    assert_equal(%w[true true true true], said, err)
  end

  def test_calls_do_not_wait_for_whoever_reads_standard_error
    code = <<~'RUBY'
      b = Conformance.with(baseline: { panic_if: ->(_, text) { text } }, tier: "0")
      _output, input = IO.pipe
      nil while input.write_nonblock("x" * 1024, exception: false) != :wait_writable
      $stderr.reopen(input)
      300.times { b.panic_if(true, "x") }
      $stdout.write("done")
      exit!(true)
    RUBY
    assert_equal ["done"], answers(SHARE, code).first
  end

  def test_the_servers_own_random_numbers_stay_as_they_are
    code = "srand(1); expected = Array.new(3) { rand }; srand(1); c.echo_text('a'); puts Array.new(3) { rand } == expected"
    assert_equal ["true"], answers("#{SHARE.sub("=1", "=0.5")}shadow=0.5\n", code).first
  end

  private

  # Passes the baseline under a control file with these lines to the block.
  def rollout(lines)
    File.write(@path, lines)
    # Stops the pools of other tests, whose processes would be counted here.
    Support.release("1:pool")
    capture_io do
      ENV["TIERUP_ROLLOUT"] = @path
      c = C.with(baseline: Different, tier: "0")
      ENV.delete("TIERUP_ROLLOUT")
      begin
        c.ready
        # On a busy machine it may take longer than `ready` waits.
        wait_until("there is no evidence") { counts.any? { |one| one["host"] } }
        yield c
      ensure
        c.close
      end
    end
    wait_until("a process outlives its binding") { programs.empty? }
  ensure
    ENV.delete("TIERUP_ROLLOUT")
  end

  # The counts of each process that compares.
  def counts
    # A file that was just made is empty.
    texts = Dir.glob("#{@path}.evidence/*.jsonl").map { |file| File.read(file) }.reject(&:empty?)
    texts.map { |text| JSON.parse(text.lines.first) }
  end

  # The counts of calls, summed over all processes.
  def host
    hosts = counts.filter_map { |one| one["host"] }
    COUNTS.map { |name| hosts.sum { |one| one.fetch(name, 0) } }
  end

  # Runs code with the package in a process of its own.
  def script(code)
    own = <<~'RUBY'
      $stdout.sync = true
      require "conformance"
      require "timeout"
      c = Conformance.with(baseline: { echo_text: ->(text) { text == "😀" ? ":-)" : text }, hang_on: ->(word) { word.size } }, tier: "0")
      c.ready
    RUBY
    Open3.capture3({ "TIERUP_ROLLOUT" => @path }, "timeout", "--signal=KILL", "100", RbConfig.ruby, "-I", LIBRARY, "-e", own + code)
  end

  # Runs code, which must succeed, and returns the words that it prints, with its output on standard error.
  def answers(lines, code)
    File.write(@path, lines)
    out, err, status = script(code)
    assert_predicate status, :success?, err
    [out.split, err]
  end
end
