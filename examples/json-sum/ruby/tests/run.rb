# frozen_string_literal: true

# What only concerns Ruby: the service's own function, its reader, its settings. The contract is in `../node/test`.

$LOAD_PATH.unshift File.expand_path("..", __dir__), File.expand_path("../../.tierup/ruby/lib", __dir__)

require "minitest/autorun"
require_relative "bodies"
require "json_sum"
require "sum_items"
require "settings"

class TestSums < Minitest::Test
  # A call at `1:spawn` takes milliseconds.
  COUNT = ENV["TIERUP_TIER"].to_s.start_with?("1") ? 300 : 5_000

  # The sum. Which body is refused is what counts, not the words.
  def outcome(functions, body)
    functions.sum_items(body)
  rescue BadBody, JsonSum::CallError
    :refused
  end

  def test_rust_takes_the_same_bodies_and_finds_the_same_sums
    rust = JsonSum.with(baseline: SumItems, baselines: { tuned: SumItems })
    sums = Bodies.new(20_261_123).first(COUNT).count do |body|
      expected = outcome(SumItems, body)
      assert_equal expected, outcome(rust, body), body
      expected != :refused
    end
    # Otherwise this shows little.
    assert_includes (0.2 * COUNT..0.9 * COUNT), sums
  ensure
    rust&.close
  end

  def test_the_reader_of_any_depth_reads_as_ruby_does
    good = Bodies.new(7).first(5_000).count do |body|
      text = body.dup.force_encoding(Encoding::UTF_8)
      # What Ruby reads otherwise is what the reader is for.
      next if !text.valid_encoding? || text.match?(%r{[\\/]})

      expected = begin
        JSON.parse(text, max_nesting: false)
      rescue JSON::ParserError
        :refused
      end
      actual = begin
        JavascriptJson.parse(text)
      rescue BadBody
        :refused
      end
      assert_equal expected, actual, text
      expected != :refused
    end
    assert_operator good, :>, 1_000
  end

  def test_a_megabyte_of_anything_is_read
    { "1" * 1_000_000 => :refused, "[" * 500_000 => :refused, "[#{"0," * 300_000}0]" => nil, "\"#{"\\u00e4/" * 100_000}\"" => nil,
      "\"#{"x" * 1_000_000}\"" => nil, "[" * 100_000 + "]" * 100_000 => nil }.each do |value, sum|
      body = "{\"x\":#{value},\"items\":[{\"value\":21}]}"
      sum = 42 if sum.nil? || value.start_with?("1")
      assert_equal sum, outcome(SumItems, body), value[0, 20]
    end
  end
end

class TestSettings < Minitest::Test
  NAMES = %w[HOST PORT TIERUP_WORKERS DOWNSTREAM_URL DOWNSTREAM_TIMEOUT_MS].freeze

  def setup
    @before = ENV.to_h
    NAMES.each { |name| ENV.delete(name) }
  end

  def teardown = ENV.replace(@before)

  def test_what_is_not_said_has_a_default
    assert_equal "tcp://127.0.0.1:3000", Settings.address
    assert_operator Settings.workers, :>=, 1
    assert_equal ["http://127.0.0.1:4000", 5.0], [Settings.downstream.uri.to_s, Settings.downstream.timeout]
  end

  def test_what_makes_no_sense_ends_it
    { "PORT" => %w[70000 http -1 ٣], "TIERUP_WORKERS" => %w[0 1.5], "DOWNSTREAM_TIMEOUT_MS" => ["0"],
      "DOWNSTREAM_URL" => ["https://example.org", "127.0.0.1:4000", "http://", "/", "http://a?b=c", "http://a#b", "http://a b",
                           "http://a:b", "http://a:0"] }.each do |name, values|
      values.each do |value|
        ENV[name] = value
        _, said = capture_io { assert_raises(SystemExit, value) { [Settings.address, Settings.workers, Settings.downstream] } }
        assert_match(/\A#{name} must be .*, not "#{Regexp.escape(value)}"\n\z/, said)
        ENV.delete(name)
      end
    end
  end

  def test_where_sums_are_posted_to
    %w[http://127.0.0.1:4000 http://sums.internal/v1/ http://[::1]:81].each do |value|
      ENV["DOWNSTREAM_URL"] = value
      assert_equal value.chomp("/"), Settings.downstream.uri.to_s
    end
  end
end
