# frozen_string_literal: true

require "digest"
require "json"
require "tmpdir"

# TIERUP_ROLLOUT: the control's answers reach every caller, whatever the candidate, the disk or the companion does. Answers that
# differ are found.
class TestRollout < Minitest::Test
  C = Conformance
  SHADOW = "candidate=3:native\nshadow=1\nkeep=values\n"
  SHARE = "candidate=3:native\nshare=1\n"
  COUNTS = %w[calls sampled too_large refused dropped shared erred errors panics timeouts lost].freeze

  # Functions of a server: like those in Rust, but for some inputs.
  module Own
    module_function

    def echo_text(text) = text == "😀" ? ":-)" : text
    def panic_if(_condition, text) = text.upcase
    def fail(words) = raise("own words for #{words}")
    def hang_on(word) = word == "changed" ? 0 : word.size
    def make_bytes(length) = "\0".b * [Integer(length), 100].min
    def echo_texts(texts) = texts.dup.tap { texts.clear }
    def echo_bytes(content) = content
    def count_calls = 0
  end

  def setup
    @folder = Dir.mktmpdir
    @path = File.join(@folder, "rollout")
  end

  def teardown = FileUtils.rm_rf(@folder)

  def test_what_differs_is_found_and_nothing_else
    rollout(SHADOW) do |c|
      ["a", "", "ä\n"].each { |text| assert_equal text, c.echo_text(text) }
      assert_equal ":-)", c.echo_text("😀")
      # The candidate panics in the first call.
      assert_equal %w[X X], [true, false].map { |condition| c.panic_if(condition, "x") }
      # Errors with different messages are alike. The caller gets the server's own error.
      assert_equal "own words for it", assert_raises(RuntimeError) { c.fail("it") }.message
      # The control changes its arguments. The candidate gets them unchanged.
      texts = %w[a b]
      assert_equal [%w[a b], []], [c.echo_texts(texts), texts]
      # `count_calls` is not pure, so it is not compared.
      assert_equal 0, c.count_calls
      # Nor are these calls: Rust would refuse the number, and the bytes are too large.
      assert_equal 7, c.echo_text(7)
      [65_533, 1 << 20].each { |size| assert_equal size, c.echo_bytes("x" * size).bytesize }
      assert_empty c.echo_texts(["x" * 50_000] * 2).drop(2)
      compared(8)
      assert_equal 60_000, c.echo_text("x" * 60_000).size
      compared(9)
      assert_equal [14, 0], c.metrics.values_at(:calls, :panics)
    end
    (one,), differences = evidence
    assert_equal [9, 7, 2, 1, 0, 0], one.values_at("compared", "alike", "different", "panics", "timeouts", "deaths")
    assert_equal [13, 13, 3, 1, 0], host.first(5)
    assert one["host"]["refusal"].start_with?("echo_text: text: "), one
    assert_equal 2, differences.size
  end

  def test_no_value_is_written_unless_the_control_file_asks_for_it
    rollout("candidate=3:native\nshadow=1\n") do |c|
      assert_equal [":-)", 7], [c.echo_text("😀"), c.echo_text(7)]
      compared(1)
    end
    (one,), differences = evidence
    assert_equal [1, "echo_text", []], [one["different"], one["host"]["refusal"], differences]
  end

  def test_calls_that_hang_or_die_are_found_beside_the_server
    rollout(SHADOW, { "TIERUP_CALL_TIMEOUT" => "3" }) do |c|
      assert_equal [6, 6, 4], %w[really deeply fine].map { |word| c.hang_on(word) }
      assert_equal 100, c.make_bytes(1 << 20).bytesize
      compared(4)
    end
    assert_equal [1, 3, 1, 1], counts.first.values_at("alike", "different", "timeouts", "deaths")
  end

  def test_the_control_answers_whatever_panics
    said = rollout(SHARE) do |c|
      1000.times do |number|
        assert_equal "X#{number}", c.panic_if(true, "x#{number}")
        # The candidate is still called, as no more than half of its calls panic.
        assert_equal %w[X X], Array.new(2) { c.panic_if(false, "x") }
      end
      assert_equal "😀", c.echo_text("😀"), "the candidate answers"
      assert_match(/own words/, assert_raises(RuntimeError) { c.fail("it") }.message)
      assert_equal 7, c.echo_text(7)
      assert_equal [3003, 1, 0], c.metrics.values_at(:calls, :errors, :panics)
    end
    assert_equal({ "calls" => 3003, "shared" => 3003, "panics" => 1000, "errors" => 1, "refused" => 1 }, COUNTS.zip(host).to_h.reject { |_, count| count.zero? })
    refute_includes said, "failed at"
  end

  def test_a_candidate_that_fails_in_more_than_half_of_its_calls_gets_no_more
    said = rollout(SHARE) do |c|
      assert_equal ["X"] * 300, Array.new(300) { c.panic_if(true, "x") }
      assert_equal ":-)", c.echo_text("😀"), "the control answers"
      File.write(@path, "#{SHARE}generation=2\n")
      wait_until("the candidate is not asked again") { c.echo_text("😀") == "😀" }
    end
    assert_includes said, "100 of 100 calls failed at 3:native, so the control answers until the control file changes"
  end

  def test_the_same_input_stays_with_its_side
    sides = nil
    rollout("candidate=3:native\nshare=0.5\nby=input\nkey=secret\n") do |c|
      contents = Array.new(400, &:to_s)
      # The control returns its argument itself, and the candidate a copy.
      sides = Array.new(2) { contents.map { |content| c.echo_bytes(content).equal?(content) } }
    end
    assert_equal(*sides)
    assert_includes 140..260, sides.first.count(true)
    # As in Python: hmac.new(key, b"14 " + arguments, "sha256").
    { "secret" => "10111110100100011011001110111010", "k" * 70 => "00101010101001110011100000101101" }.each do |key, expected|
      control = C::Tierup::ControlFile.parse("candidate=3:native\nshare=0.5\nkey=#{key}\n")
      now = C::Tierup::InForce.new(control, :variant)
      assert_equal expected, Array.new(32) { |number| now.chooses?(14, [number.to_s.size].pack("V") + number.to_s) ? 1 : 0 }.join
    end
  end

  def test_a_file_that_is_missing_cut_wrong_or_over_means_the_control
    lines = "#{SHARE}until=4102444800\n"
    whole = "#{lines}checksum=#{Digest::SHA256.hexdigest(lines)[0, 16]}\n"
    wrong = {
      whole[0..-10] => "its last line has no end: it may be cut",
      whole.sub("share=1", "share=0.9") => "its checksum does not fit the lines above it",
      SHARE.sub("1", "1.5") => "`share` must be a number from 0 to 1, such as 0.01, got `1.5`",
      "candidate=0:tuned\nshare=1\n" => "`candidate` must be a variant in Rust, such as 3:native, got `0:tuned`",
      "#{SHARE}until=1\n" => "its judge has not renewed it: `until` is over",
      nil => "No such file or directory",
    }
    said = rollout(whole) do |c|
      wrong.each do |text, words|
        wait_until("the candidate does not answer") { c.echo_text("😀") == "😀" }
        File.write("#{@path}.part", text.to_s)
        text ? File.rename("#{@path}.part", @path) : File.unlink(@path)
        wait_until("the control does not answer: #{words}") { c.echo_text("😀") == ":-)" }
        File.write(@path, whole)
      end
    end
    wrong.each_value { |words| assert_equal 1, said.scan(/ is not obeyed, so the control answers every call: #{Regexp.escape(words)}/).size, said }
  end

  def test_killed_companions_and_processes_that_compare_change_nothing_for_callers
    rollout(SHADOW) do |c|
      large = "\0".b * 60_000
      10.times do |number|
        signal(number.even? ? :KILL : :STOP)
        50.times { assert c.echo_text("a") == "a" && c.echo_bytes(large).equal?(large) }
        sleep 0.3
        signal(:CONT)
      end
      wait_until("it is not there again") do
        c.echo_text("a")
        counts.any? { |one| one["compared"].positive? && one["host"].fetch("calls", 0) >= 1000 }
      end
    end
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

  def test_after_two_deaths_in_a_call_of_the_candidate_processes_start_at_the_control
    File.write(@path, SHARE)
    die = "puts c.hang_on('deeply')"
    refute_predicate script(die).last, :success?
    # The mark is also written in a forked child.
    assert_predicate script("fork { c.ready; #{die} }; exit(Process.wait2.last.signaled?)").last, :success?
    # A process that is killed between two calls does not count against the candidate.
    script("c.echo_text('a'); Process.kill(:KILL, $$)")
    out, err, status = script(die)
    assert_equal ["6\n", true], [out, status.success?], err
    assert_includes err, "2 processes died in a call of 3:native "
    File.write(@path, "#{SHARE}generation=2\n")
    refute_predicate script(die).last, :success?
  end

  def test_a_folder_that_cannot_be_written_in_changes_nothing_for_callers
    # A file stands where the folder for the evidence would be.
    File.write("#{@path}.evidence", "")
    out, err = answers("#{SHARE}shadow=1\n", "puts c.echo_text('a'), c.hang_on('deeply'); c.close")
    assert_equal %w[a 6], out
    assert_includes err, "nobody would learn that a call of 3:native ended the process"
    assert_includes err, "the evidence of a shadow is incomplete"
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

  # Passes the baseline under a control file with these lines to the block. Returns the output on standard error.
  def rollout(lines, environment = {})
    File.write(@path, lines)
    environment = { "TIERUP_ROLLOUT" => @path, **environment }
    before = environment.to_h { |name, _| [name, ENV.fetch(name, nil)] }
    # Stops the pools of other tests, whose processes would be counted here.
    Support.release("1:pool")
    _, said = capture_io do
      ENV.update(environment)
      c = C.with(baseline: Own, tier: "0")
      ENV.update(before)
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
    said
  ensure
    ENV.update(before) if before
  end

  # The counts, and the differences.
  def evidence
    # A file that was just made is empty.
    texts = Dir.glob("#{@path}.evidence/*.jsonl").map { |file| File.read(file).strip }.reject(&:empty?)
    files = texts.map { |text| text.lines.map { |line| JSON.parse(line) } }
    [files.map(&:first), files.flat_map { |lines| lines.drop(1) }]
  end

  def counts = evidence.first

  # The counts of calls, summed over all processes.
  def host
    hosts = counts.filter_map { |one| one["host"] }
    COUNTS.map { |name| hosts.sum { |one| one.fetch(name, 0) } }
  end

  # Waits until so many calls are compared, which may take long: comparing has the lowest priority.
  def compared(count)
    wait_until("#{count} are not compared") { counts.sum { |one| one["compared"] } == count }
  end

  def signal(name)
    programs.each do |process|
      Process.kill(name, process)
    rescue Errno::ESRCH
      nil
    end
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
