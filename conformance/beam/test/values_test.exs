defmodule ValuesTest do
  @moduledoc "Values, errors and panics at every tier."
  use ExUnit.Case

  @tiers ["1:spawn", "1:pool", "2:core", "3:native"]

  for tier <- @tiers do
    describe tier do
      setup do
        Conformance.bind(tier: unquote(tier))
        :ok
      end

      test "text and bytes come back to the byte, numbers whole" do
        assert Conformance.tier() == unquote(tier)
        assert Conformance.echo_text("größe \0 😀") == {:ok, "größe \0 😀"}
        bytes = :crypto.strong_rand_bytes(100_000)
        assert Conformance.echo_bytes!(bytes) == bytes
        assert Conformance.echo_u64!(18_446_744_073_709_551_615) == 18_446_744_073_709_551_615
        assert Conformance.echo_i64!(-9_223_372_036_854_775_808) == -9_223_372_036_854_775_808
        assert Conformance.echo_f64!(:nan) == :nan
        assert Conformance.echo_f64!(:neg_infinity) == :neg_infinity
        assert Conformance.echo_f64!(4) === 4.0
        assert Conformance.is_negative_zero!(-0.0)
        assert Conformance.do_nothing() == {:ok, nil}
      end

      test "records are structs, enums are atoms and tuples" do
        point = %Conformance.Point{x: 1.0, y: -2.5}
        assert Conformance.echo_point(point) == {:ok, point}
        # A map with other keys is accepted, too: a server may have a struct of its own.
        assert Conformance.echo_point!(%{x: 1, y: -2.5, z: 0}) == point
        assert Conformance.echo_color!(:dark_blue) == :dark_blue
        polygon = {:polygon, %{corners: [point], fill_color: nil}}
        assert Conformance.echo_shapes!([:empty, {:circle, 1.5}, polygon]) == [:empty, {:circle, 1.5}, polygon]
        assert Conformance.echo_map!(%{"b" => 1, "a" => -1}) == %{"a" => -1, "b" => 1}
        assert Conformance.echo_option!(nil) == nil
        # Trailing optional arguments may be left out.
        assert Conformance.echo_option!() == nil
      end

      test "the function's own error has its message" do
        assert Conformance.fail("no") == {:error, %Conformance.CallError{message: "no"}}
        assert_raise Conformance.CallError, "no", fn -> Conformance.fail!("no") end
        assert_raise Conformance.CallError, "more than 1 is too large", fn -> Conformance.check_limit!(2, 1) end
      end

      test "a panic is an error, and the next call is unharmed" do
        assert {:error, %Conformance.PanicError{message: "oh" <> _}} = Conformance.panic_with("oh")
        assert_raise Conformance.PanicError, ~r/told to panic/, fn -> Conformance.panic_if!(true, "x") end
        assert Conformance.panic_if!(false, "x") == "X"
      end

      test "arguments that do not fit the signature are refused with their place" do
        refused = fn call, words ->
          assert {:error, %ArgumentError{message: message}} = call.()
          assert message =~ words
        end

        refused.(fn -> Conformance.echo_text(<<"a", 255>>) end, "echo_text: text is not valid UTF-8")
        refused.(fn -> Conformance.echo_text(~c"list") end, "echo_text: text: expected text, got a list")
        refused.(fn -> Conformance.echo_bytes(<<1::1>>) end, "expected a binary")
        refused.(fn -> Conformance.echo_u8(256) end, "expected a whole number that u8 can hold, got 256")
        refused.(fn -> Conformance.echo_u64(1.0) end, "got 1.0")
        refused.(fn -> Conformance.echo_f32(1.0e39) end, "expected a number that f32 can hold")
        refused.(fn -> Conformance.echo_f64(Bitwise.bsl(1, 2000)) end, "got a number beyond it")
        refused.(fn -> Conformance.echo_bool(nil) end, "expected true or false, got nil")
        refused.(fn -> Conformance.echo_point(%{x: 1}) end, "also y")
        refused.(fn -> Conformance.echo_shapes([:empty, {:circle, "x"}]) end, "[1].circle[1]: expected a number")
        refused.(fn -> Conformance.echo_shapes([:empty | :circle]) end, "ends with []")
        refused.(fn -> Conformance.echo_color(:pink) end, "expected a case of Conformance.Color, got :pink")
        refused.(fn -> Conformance.echo_map(%{1 => 2}) end, "[…]: expected text")
        refused.(fn -> Conformance.echo_map(%{"k" => "secret"}) end, ~s(["k"]: expected a whole number))
        # Values are not shown: they may be secrets.
        assert {:error, %{message: message}} = Conformance.echo_u8("password")
        refute message =~ "password"
      end
    end
  end

  test "a program of 1:spawn makes one call, one of 1:pool makes many" do
    Conformance.bind(tier: "1:spawn")
    assert [Conformance.count_calls!(), Conformance.count_calls!()] == [1, 1]
    Conformance.bind(tier: "1:pool")
    before = Conformance.count_calls!()
    assert Conformance.count_calls!() == before + 1
  end
end
