# frozen_string_literal: true

# Values as a user of Ruby writes and meets them.
class TestValues < Minitest::Test
  C = Conformance

  def test_integers_keep_all_their_bits
    each_tier do |c|
      assert_equal 2**64 - 1, c.echo_u64(2**64 - 1)
      assert_equal(-(2**63), c.echo_i64(-(2**63)))
      assert_equal [1, 2**64 - 1], c.echo_u64s([1, 2**64 - 1])
    end
  end

  def test_what_does_not_fit_is_refused_alike
    refused = [
      [:echo_u64, 2**64, RangeError], [:echo_u64, -1, RangeError], [:echo_i8, 128, RangeError],
      [:echo_u8, 10**4000, RangeError], [:echo_f32, 1e39, RangeError], [:echo_f64, 10**400, RangeError],
      [:echo_u64, 1.0, TypeError], [:echo_u8, "1", TypeError], [:echo_f64, "1", TypeError], [:echo_bool, 1, TypeError],
      [:echo_bool, nil, TypeError], [:echo_text, nil, TypeError], [:echo_text, :word, TypeError],
      [:echo_bytes, [1, 2], TypeError], [:echo_texts, "abc", TypeError], [:echo_u64s, [1, 2**64], RangeError],
      [:echo_u64s, [1, nil], TypeError], [:echo_map, { 1 => 1 }, TypeError], [:echo_map, { a: 1 }, TypeError],
      [:echo_map, [], TypeError], [:echo_point, nil, TypeError], [:echo_color, "Red", TypeError],
      [:echo_color, :nothing, TypeError], [:echo_shape, nil, TypeError], [:echo_text, "\xff", ArgumentError],
      [:echo_text, "\xff".b, ArgumentError], [:echo_text, "\xed\xa0\x80", ArgumentError],
    ]
    refused.each do |name, value, kind|
      messages = TIERS.map do |tier|
        error = assert_raises(kind, "#{tier} #{name} #{value.inspect[0, 80]}") { Support.at(tier).public_send(name, value) }
        assert_instance_of kind, error
        assert_nil error.cause
        error.message
      end
      # Values that are passed without encoding have the same messages as encoded ones.
      assert_equal 1, messages.uniq.size, messages.inspect
      assert_match(/\A\w+(\[[^\]]+\])?: expected /, messages.first)
    end
  end

  def test_the_number_of_arguments_is_rubys_business
    each_tier do |c|
      assert_raises(ArgumentError) { c.echo_text }
      assert_raises(ArgumentError) { c.echo_text("a", "b") }
      assert_nil c.echo_option
    end
  end

  def test_floats_keep_nan_and_the_sign_of_zero
    each_tier do |c|
      assert_predicate c.echo_f64(Float::NAN), :nan?
      assert_equal(-Float::INFINITY, 1 / c.echo_f64(-0.0))
      assert_equal [true, false], [c.is_negative_zero(-0.0), c.is_negative_zero(0.0)]
      assert_equal(-Float::INFINITY, c.echo_f32(-Float::INFINITY))
      assert_equal 5e-324, c.echo_f64(5e-324)
      assert_equal 0.10000000149011612, c.echo_f32(0.1)
      assert_equal 3.0, c.echo_f64(3)
    end
  end

  def test_text_arrives_to_the_byte
    each_tier do |c|
      ["", "a", "ä€😀", "\0 in the middle \0", "\ufeffbom", "e\u0301", "𝕏" * 1000, "\r\n"].each do |text|
        answer = c.echo_text(text)
        assert_equal text, answer
        assert_equal Encoding::UTF_8, answer.encoding
        refute_predicate answer, :frozen?
        assert_equal text.bytesize, c.utf8_length(text)
      end
      assert_equal "ä", c.echo_text("ä".encode(Encoding::ISO_8859_1))
      assert_equal "plain", c.echo_text("plain".b)
      assert_equal "ab", c.echo_text(Class.new(String).new("ab"))
    end
  end

  def test_bytes_arrive_to_the_byte
    content = (0..255).to_a.pack("C*")
    each_tier do |c|
      [content, "", "\xff", "ä", "x" * 100_000].each do |bytes|
        answer = c.echo_bytes(bytes)
        assert_equal bytes.b, answer
        assert_equal Encoding::BINARY, answer.encoding
      end
    end
  end

  def test_what_is_lent_is_not_changed_while_rust_looks
    c = Support.at("3:native")
    lent = "before" * 1000
    answer = c.echo_bytes(lent)
    lent << " and grows"
    assert_equal "before" * 1000, answer
    # Another thread writes to the argument during the calls.
    writer = Thread.new { loop { lent.replace("z" * 6000) } }
    200.times do
      answer = c.echo_text(lent)
      assert_includes [%w[b e f o r e], ["z"], ["b", "e", "f", "o", "r", " ", "a", "n", "d", "g", "w", "s"].uniq], answer.chars.uniq
    end
  ensure
    writer&.kill&.join
  end

  def test_records_enums_maps_and_what_may_be_absent
    point = C::Point.new(x: 1.5, y: -0.0)
    shapes = [
      C::Shape::Empty.new, C::Shape::Circle.new(value: 2.0),
      C::Shape::Line.new(value0: C::Point.new(x: 0.0, y: 0.0), value1: C::Point.new(x: 1.0, y: 1.0)),
      C::Shape::Polygon.new(corners: [point], fill_color: :red), C::Shape::Polygon.new(corners: [], fill_color: nil),
    ]
    each_tier do |c|
      assert_equal point, c.echo_point(point)
      assert_predicate c.echo_point(point), :frozen?
      assert_equal :dark_blue, c.echo_color(:dark_blue)
      assert_equal shapes, c.echo_shapes(shapes)
      keys = { "b" => 1, "a" => 2, "ä" => 3, "" => 4, "\uffff" => 5, "😀" => 6 }
      assert_equal keys, c.echo_map(keys)
      assert_equal [nil, 7], [c.echo_option(nil), c.echo_option(7)]
      assert_equal "a-b-c", c.join(%w[a b c], "-")
      assert_equal ["🦀", nil], [c.longest(["a", "🦀", "bc"]), c.longest([])]
      assert_equal ["a", nil, ""], c.echo_optional_texts(["a", nil, ""])
    end
    case point
    in { x:, y: } then assert_equal [1.5, 0.0], [x, y]
    end
    assert_equal 1, [point, C::Point.new(x: 1.5, y: -0.0)].uniq.size
    assert_kind_of C::Shape, shapes.first
  end

  def test_an_object_of_the_servers_own_will_do_for_a_record
    place = Struct.new(:x, :y)
    each_tier do |c|
      assert_equal C::Point.new(x: 1.0, y: 2.0), c.echo_point(place.new(1, 2))
      error = assert_raises(TypeError) { c.echo_point(Struct.new(:x).new(1)) }
      assert_match(/\Apoint: expected a Conformance::Point, got an object of class /, error.message)
    end
  end

  def test_a_mismatch_names_its_place
    wrong = C::Shape::Polygon.new(corners: [C::Point.new(x: 0, y: 0), C::Point.new(x: 0, y: "1")], fill_color: nil)
    each_tier do |c|
      error = assert_raises(TypeError) { c.echo_shapes([C::Shape::Empty.new, wrong]) }
      assert_equal 'shapes[1].corners[1].y: expected a number, got "1"', error.message
      error = assert_raises(RangeError) { c.echo_map({ "a b" => 2**31 }) }
      assert_match(/\Avalues\["a b"\]: expected a whole number/, error.message)
    end
  end

  def test_names_that_mean_something_elsewhere
    each_tier do |c|
      assert_equal "abc", c.class_("a", "b", "c")
      assert_equal 7, c.delete(1, 2, 4)
      assert_equal [9, 3, 3, 3], [c.type(9), c.lambda(3), c.with_(3), c.close_(3)]
      assert_equal ["url 1", "URL 1", "Url 1"], [c.get_url(1), c.get_URL(1), c.getUrl(1)]
    end
    assert_equal "x", Conformance.echo_text("x")
  end

  def test_signatures_are_sound
    script = 'gem "rbs"; load Gem.bin_path("rbs", "rbs")'
    out, status = Open3.capture2e(RbConfig.ruby, "-e", script, "--", "-I", File.expand_path("../sig", LIBRARY), "validate", "--silent")
    assert status.success?, out
  end
end
