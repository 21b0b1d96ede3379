# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# `metrics`: which tier runs and why, and how the calls of one binding ended.
class TestMetrics < Minitest::Test
  C = Conformance
  NONE = { calls: 0, errors: 0, panics: 0, timeouts: 0, lost: 0 }.freeze

  def said(tier, asked: tier, instead: "")
    { package: "conformance", tier: tier, asked: asked, abi: C::Tierup::ABI, instead: instead }
  end

  def test_calls_with_wrong_arguments_count_and_a_binding_may_be_frozen
    TIERS.each do |tier|
      c = C.with(tier: tier).freeze
      c.echo_text("a")
      assert_raises(TypeError) { c.echo_text(1) }
      assert_equal({ **said(tier), **NONE, calls: 2 }, c.metrics)
      c.close
    end
  end

  def test_whatever_your_own_code_raises_is_its_error
    own = { echo_text: ->(text) { text.upcase }, fail: ->(words) { raise KeyError, words } }
    %w[0 0:free 0:memo].each do |tier|
      c = C.with(baseline: own, tier: tier)
      %w[a b c].each { |text| c.echo_text(text) }
      assert_raises(KeyError) { c.fail("x") }
      assert_raises(NoMethodError) { c.echo_text(1) }
      # The baseline has no such function.
      assert_raises(C::Unavailable) { c.echo_u8(1) }
      assert_equal({ **said(tier), **NONE, calls: 6, errors: 2 }, c.metrics)
    end
  end

  def test_why_another_tier_runs
    out = run_script(<<~'RUBY', "", { "TIERUP_TIER" => "2:component", "TIERUP_FALLBACK" => "1" })
      $stderr = $stdout
      puts Conformance.metrics.values_at(:tier, :asked, :instead, :calls)
      Conformance.echo_text("a")
      puts Conformance.metrics[:calls]
    RUBY
    reason = "conformance cannot run at tier 2:component: #{C::Tierup::Tiers::ELSEWHERE["2:component"]}"
    assert_equal "#{reason}; falling back to tier 3:native\n3:native\n2:component\n#{reason}\n0\n1\n", out
  end

  def test_where_nothing_is_built_it_says_so_once
    Dir.mktmpdir do |folder|
      FileUtils.cp_r(LIBRARY, folder)
      out = run_script(<<~'RUBY', "", {}, File.join(folder, "lib"))
        $stderr = $stdout
        all = Array.new(2) { Conformance.with(baseline: { echo_text: ->(text) { text } }) }
        puts all.map { |c| c.metrics[:instead] }, all.last.metrics.values_at(:tier, :asked).inspect
        puts Conformance.with(baseline: { echo_text: ->(text) { text } }, tier: "0").metrics[:instead].inspect
      RUBY
      line = "conformance: your own code runs, at tier 0, as no variant is built here: run `tierup build`\n"
      assert_equal "#{line * 3}[\"0\", \"\"]\n\"\"\n", out
    end
  end

  def test_threads_add_up_and_a_forked_child_goes_on
    c = C.with(tier: "3:native")
    Array.new(8) do
      Thread.new do
        5_000.times do |number|
          c.panic_if((number % 10).zero?, "x")
        rescue C::PanicError
          nil
        end
      end
    end.each(&:join)
    assert_equal({ **said("3:native"), **NONE, calls: 40_000, panics: 4_000 }, c.metrics)
    Process.wait(fork { exit!(c.echo_u8(1) == 1 && c.metrics[:calls] == 40_001) })
    assert_predicate $?, :success?
    assert_equal 40_000, c.metrics[:calls]
  end
end
