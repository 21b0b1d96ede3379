# frozen_string_literal: true

require "objspace"
require "tmpdir"

# `0:memo` as Ruby sees it. What all languages promise is in `crates/tierup/tests/conformance/memo.rs`.
class TestMemo < Minitest::Test
  # Binds a baseline that has only these functions; `calls` counts the calls that reach them.
  def memo(functions)
    calls = Hash.new(0)
    counted = functions.to_h { |name, function| [name, ->(*arguments) { calls[name] += 1; function.call(*arguments) }] }
    binding = Conformance.with(baseline: counted, tier: "0:memo")
    yield binding, calls
  ensure
    binding&.close
  end

  def with_environment(settings)
    before = ENV.to_h
    ENV.update(settings)
    yield
  ensure
    ENV.replace(before)
  end

  def test_every_caller_has_a_copy
    point = Conformance::Point.new(x: 1.0, y: 2.0)
    memo({ echo_text: ->(text) { text.dup }, echo_texts: ->(texts) { texts.map(&:dup) }, echo_point: ->(_) { point } }) do |c, calls|
      2.times { c.echo_text("text") << " and more" }
      assert_equal "text", c.echo_text("text")
      refute_predicate c.echo_text("text"), :frozen?
      c.echo_texts(["a"]).first << "b"
      c.echo_texts(["a"]) << "c"
      assert_equal ["a"], c.echo_texts(["a"])
      again = Array.new(2) { c.echo_point(point) }
      assert_equal [point, point], again
      assert again.all?(&:frozen?)
      assert_equal({ echo_text: 1, echo_texts: 1, echo_point: 1 }, calls)
    end
  end

  # `Marshal` can write such an object, but not read it.
  class WrittenOnly
    def _dump(_) = "x"
  end

  def test_what_cannot_be_copied_or_read_again_is_not_kept
    [-> {}, WrittenOnly.new].each do |answer|
      memo({ echo_text: ->(_) { answer } }) do |c, calls|
        2.times { assert_same answer, c.echo_text("x") }
        assert_equal({ echo_text: 2 }, calls)
      end
    end
  end

  def test_a_part_of_a_string_does_not_keep_all_of_it
    memo({ echo_text: ->(text) { (text * 4_000_000)[-100..] } }) do |c, calls|
      GC.start
      before = ObjectSpace.memsize_of_all
      ("a".."z").each { |letter| assert_equal letter * 100, c.echo_text(letter) }
      assert_equal({ echo_text: 26 }, calls)
      GC.start
      # If all strings were kept whole, they would take 104 MB.
      assert_operator ObjectSpace.memsize_of_all - before, :<, 30_000_000
    end
  end

  def test_arguments_that_do_not_fit_go_to_the_function
    memo({ echo_text: ->(text) { text } }) do |c, calls|
      2.times { assert_equal 5, c.echo_text(5) }
      assert_equal 2, calls[:echo_text]
    end
  end

  def test_threads_forks_and_interrupts_leave_it_right
    Dir.mktmpdir do |folder|
      with_environment("TIERUP_MEMO_COUNTS" => folder, "TIERUP_MEMO_ENTRIES" => "50") do
        memo({ echo_text: ->(text) { text * 2 } }) do |c, _|
          threads = Array.new(5) do |seed|
            Thread.new do
              random = Random.new(seed)
              500.times do
                text = random.rand(100).to_s
                raise "wrong" unless c.echo_text(text) == text * 2
              end
              :right
            end
          end
          killed = Array.new(20) { Thread.new { loop { c.echo_text("endless") } } }
          killed.each { |thread| thread.kill.join }
          children = Array.new(5) { fork { exit!((0..200).all? { |n| c.echo_text(n.to_s) == n.to_s * 2 }) } }
          children.each { |child| Process.wait(child) && assert_predicate($?, :success?) }
          assert_equal [:right], threads.map(&:value).uniq
          # Counts are written at most every tenth of a second, and before an answer is kept. So only the second call writes all counts.
          2.times { sleep(0.11) && c.echo_text("last") }
          kept = c.instance_variable_get(:@tierup_variant).instance_variable_get(:@kept)
          assert_equal 50, kept.size
          all = Dir.children(folder).to_h { |name| [name[/\A\d+/].to_i, File.read(File.join(folder, name))] }
          assert_equal [Process.pid, *children].sort, all.keys.sort
          assert all.values.all? { |text| text.match?(/\A\d+ \d+ \d+ \d+ *\n\z/) && text.size == 96 }, all.to_s
          calls, hits, entries, bytes = all[Process.pid].split.map(&:to_i)
          assert_operator calls, :>=, 2_502
          assert_operator hits, :>, 0
          assert_equal [50, kept.bytes], [entries, bytes]
        end
      end
    end
  end

  def test_a_signals_handler_can_call_it
    out = run_script(<<~'RUBY', "0:memo")
      c = Conformance.with(baseline: { echo_text: ->(text) { text } }, tier: TIER)
      answers = []
      trap(:USR1) { answers << c.echo_text("in a handler") }
      c.echo_text("before")
      Process.kill(:USR1, Process.pid)
      sleep 0.01 until answers.any?
      puts answers, c.echo_text("after")
    RUBY
    assert_equal "in a handler\nafter\n", out
  end

  def test_labels_and_tiers_that_are_not_to_be_had
    own = { echo_text: ->(text) { text } }
    %w[memo workers free].each { |label| assert_raises(ArgumentError) { Conformance.with(baselines: { label => own }) } }
    error = assert_raises(Conformance::Unavailable) { Conformance.with(baseline: own, tier: "0:workers") }
    assert_includes error.message, "fork"
    assert_includes assert_raises(ArgumentError) { Conformance.with(tier: "0:memo") }.message, "baseline: …"
  end
end
