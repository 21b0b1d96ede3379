# Made by tierup; the same in every package.
defmodule {{module}}.Tierup.Wire do
  @moduledoc false
  # The byte encoding (docs/byte-abi.md of tierup) of the types that `interface.ex` lists:
  #
  #   bool, numbers   as they are; a float that is no number is :nan, :infinity or :neg_infinity
  #   text, bytes     binaries
  #   optional        nil, or the value
  #   list, map       a list, a map with text as its keys
  #   record          a struct; any map with its fields is accepted
  #   enum            an atom, {:case, value, …}, or {:case, %{field: value}}

  alias {{module}}.CallError
  alias {{module}}.CallTimeoutError
  alias {{module}}.PanicError
  alias {{module}}.Tierup.Interface
  alias {{module}}.TransportError

  @typedoc "A float, or what the BEAM has no float for."
  @type float_value :: float() | :nan | :infinity | :neg_infinity

  # No variant could pass on more bytes.
  @largest 0x7FFFFFFF

  # The bytes of a call's arguments, or an error that names the argument that does not fit the signature.
  def encode_arguments(function, arguments) do
    encoded = encode_all(function.parameters, arguments)
    if IO.iodata_length(encoded) > @largest, do: refuse([], "more than 2 GiB of arguments cannot cross")
    {:ok, IO.iodata_to_binary(encoded)}
  catch
    {:refused, message} -> {:error, %ArgumentError{message: "#{function.name}: #{message}"}}
  end

  defp encode_all([], []), do: []
  defp encode_all([{name, type} | types], [value | rest]), do: [encode(type, value, [name]) | encode_all(types, rest)]

  # The bytes of an answer, as the function itself would return it.
  def encode_output(%{output: nil}, _), do: {:ok, ""}

  def encode_output(function, value) do
    {:ok, IO.iodata_to_binary(encode(function.output, value, ["answer"]))}
  catch
    {:refused, message} -> {:error, %ArgumentError{message: message}}
  end

  def decode_arguments(function, bytes) do
    {arguments, ""} = Enum.map_reduce(function.parameters, bytes, fn {_, type}, bytes -> decode(type, bytes) end)
    arguments
  end

  # The value in an answer, or its error.
  def read_answer(function, <<0, bytes::binary>>) do
    case decode_output(function.output, bytes) do
      {value, ""} -> {:ok, value}
      _ -> malformed(function, "more bytes follow it")
    end
  catch
    {:malformed, message} -> malformed(function, message)
  end

  def read_answer(function, <<tag, length::little-32, message::binary-size(length)>>) when tag in 1..4 do
    {:error, failure(tag, message, function)}
  end

  def read_answer(function, _), do: malformed(function, "it begins with no tag")

  # The error for a tag.
  def failure(1, message, _), do: %CallError{message: :binary.copy(message)}
  def failure(2, message, _), do: %PanicError{message: :binary.copy(message)}
  # Only text that is not UTF-8 passes the checks here and is refused in Rust.
  def failure(3, message, function), do: %ArgumentError{message: "#{function.name}: #{message}"}
  def failure(4, message, _), do: %CallTimeoutError{message: :binary.copy(message)}

  # Text or bytes that are the whole answer stay a part of its binary. Inside of other values they are copied, as each
  # would keep the whole answer in memory.
  defp decode_output(nil, bytes), do: {nil, bytes}

  defp decode_output(type, <<length::little-32, value::binary-size(length), rest::binary>>)
       when type in [:text, :bytes],
       do: {value, rest}

  defp decode_output(type, bytes), do: decode(type, bytes)

  defp malformed(function, message) do
    {:error, %TransportError{message: "cannot read the answer of #{function.name}: #{message}"}}
  end

  # `place` is the path to the value for an error, with the innermost step first.
  for {name, bits} <- [u8: 8, u16: 16, u32: 32, u64: 64] do
    defp encode(unquote(name), value, _)
         when is_integer(value) and value >= 0 and value <= unquote(Bitwise.bsl(1, bits) - 1),
         do: <<value::little-size(unquote(bits))>>

    defp decode(unquote(name), <<value::little-unsigned-size(unquote(bits)), rest::binary>>), do: {value, rest}
  end

  for {name, bits} <- [i8: 8, i16: 16, i32: 32, i64: 64] do
    defp encode(unquote(name), value, _)
         when is_integer(value) and value >= unquote(-Bitwise.bsl(1, bits - 1)) and
                value <= unquote(Bitwise.bsl(1, bits - 1) - 1),
         do: <<value::little-size(unquote(bits))>>

    defp decode(unquote(name), <<value::little-signed-size(unquote(bits)), rest::binary>>), do: {value, rest}
  end

  defp encode(:bool, true, _), do: <<1>>
  defp encode(:bool, false, _), do: <<0>>

  defp encode(:f64, :nan, _), do: <<0::48, 0xF8, 0x7F>>
  defp encode(:f64, :infinity, _), do: <<0::48, 0xF0, 0x7F>>
  defp encode(:f64, :neg_infinity, _), do: <<0::48, 0xF0, 0xFF>>
  defp encode(:f32, :nan, _), do: <<0::16, 0xC0, 0x7F>>
  defp encode(:f32, :infinity, _), do: <<0::16, 0x80, 0x7F>>
  defp encode(:f32, :neg_infinity, _), do: <<0::16, 0x80, 0xFF>>

  defp encode(type, value, place) when type in [:f32, :f64] and is_number(value) do
    bytes = if type == :f32, do: <<value::little-float-32>>, else: <<value::little-float-64>>
    # The BEAM turns a number that is too large for 32 bits into an infinity.
    if bytes in [<<0::16, 0x80, 0x7F>>, <<0::16, 0x80, 0xFF>>], do: raise(ArgumentError), else: bytes
  rescue
    ArgumentError -> expected("a number that #{type} can hold", value, place)
  end

  # Rust checks whether text is UTF-8, many times faster.
  defp encode(type, value, _) when type in [:text, :bytes] and is_binary(value),
    do: [<<byte_size(value)::little-32>>, value]

  defp encode({:optional, _}, nil, _), do: <<0>>
  defp encode({:optional, type}, value, place), do: [1, encode(type, value, place)]

  defp encode({:list, type}, value, place) when is_list(value) do
    {items, count} = encode_items(type, value, place, 0, [])
    [<<count::little-32>> | items]
  end

  defp encode({:map, type}, value, place) when is_map(value) and not is_struct(value) do
    # The BEAM orders binaries by their bytes.
    entries =
      for {key, item} <- Enum.sort(value) do
        [encode(:text, key, [{:key, key} | place]), encode(type, item, [{:key, key} | place])]
      end

    [<<map_size(value)::little-32>> | entries]
  end

  defp encode({:defined, number}, value, place) do
    case Interface.definition(number) do
      {:record, module, fields} -> encode_fields(fields, value, inspect(module), place)
      {:cases, module, by_tag, _} -> encode_case(by_tag, value, inspect(module), place)
    end
  end

  defp encode(type, value, place), do: expected(described(type), value, place)

  defp encode_items(type, [value | rest], place, count, items) do
    encode_items(type, rest, place, count + 1, [encode(type, value, [count | place]) | items])
  end

  defp encode_items(_, [], _, count, items), do: {Enum.reverse(items), count}
  defp encode_items(_, improper, place, _, _), do: expected("a list that ends with []", improper, place)

  defp encode_fields(fields, value, name, place) when is_map(value) do
    for {field, type} <- fields do
      case value do
        %{^field => value} -> encode(type, value, [field | place])
        _ -> expected("a #{name} or a map with its fields, also #{field}", value, place)
      end
    end
  end

  defp encode_fields(_, value, name, place), do: expected("a #{name} or a map with its fields", value, place)

  defp encode_case(by_tag, value, name, place) do
    with tag when tag != nil <- tag_of(value),
         {number, payload} <- by_tag[tag],
         {:ok, content} <- encode_payload(payload, value, name, [tag | place]) do
      [number | content]
    else
      _ -> expected("a case of #{name}", value, place)
    end
  end

  defp tag_of(value) when is_atom(value), do: value
  defp tag_of(value) when is_tuple(value) and tuple_size(value) > 1, do: elem(value, 0)
  defp tag_of(_), do: nil

  defp encode_payload(nil, value, _, _) when is_atom(value), do: {:ok, []}

  defp encode_payload({:named, fields}, {_, values}, name, place), do: {:ok, encode_fields(fields, values, name, place)}

  defp encode_payload({:tuple, types}, value, _, place) when tuple_size(value) == length(types) + 1 do
    [_ | values] = Tuple.to_list(value)
    {:ok, Enum.zip_with([types, values, Enum.to_list(1..length(types))], fn [type, value, at] -> encode(type, value, [at | place]) end)}
  end

  defp encode_payload(_, _, _, _), do: :error

  defp decode(:bool, <<0, rest::binary>>), do: {false, rest}
  defp decode(:bool, <<1, rest::binary>>), do: {true, rest}
  defp decode(:f64, <<value::little-float-64, rest::binary>>), do: {value, rest}
  defp decode(:f64, <<0::48, 0xF0, 0x7F, rest::binary>>), do: {:infinity, rest}
  defp decode(:f64, <<0::48, 0xF0, 0xFF, rest::binary>>), do: {:neg_infinity, rest}
  defp decode(:f64, <<_::64, rest::binary>>), do: {:nan, rest}
  defp decode(:f32, <<value::little-float-32, rest::binary>>), do: {value, rest}
  defp decode(:f32, <<0::16, 0x80, 0x7F, rest::binary>>), do: {:infinity, rest}
  defp decode(:f32, <<0::16, 0x80, 0xFF, rest::binary>>), do: {:neg_infinity, rest}
  defp decode(:f32, <<_::32, rest::binary>>), do: {:nan, rest}

  defp decode(type, <<length::little-32, value::binary-size(length), rest::binary>>) when type in [:text, :bytes],
    do: {:binary.copy(value), rest}

  defp decode({:optional, _}, <<0, rest::binary>>), do: {nil, rest}
  defp decode({:optional, type}, <<1, rest::binary>>), do: decode(type, rest)

  defp decode({:list, type}, <<count::little-32, rest::binary>>), do: decode_items(type, count, rest, [])

  defp decode({:map, type}, <<count::little-32, rest::binary>>) do
    {entries, rest} = decode_entries(type, count, rest, [])
    map = Map.new(entries)
    if map_size(map) != count, do: throw({:malformed, "a key comes twice"})
    {map, rest}
  end

  defp decode({:defined, number}, bytes) do
    case Interface.definition(number) do
      {:record, module, fields} -> decode_fields(fields, bytes, %{__struct__: module})
      {:cases, _, _, cases} -> decode_case(cases, bytes)
    end
  end

  defp decode(type, _), do: throw({:malformed, "expected #{described(type)}"})

  defp decode_items(_, 0, rest, items), do: {Enum.reverse(items), rest}

  defp decode_items(type, count, bytes, items) do
    {item, rest} = decode(type, bytes)
    decode_items(type, count - 1, rest, [item | items])
  end

  defp decode_entries(_, 0, rest, entries), do: {entries, rest}

  defp decode_entries(type, count, bytes, entries) do
    {key, rest} = decode(:text, bytes)
    {item, rest} = decode(type, rest)
    decode_entries(type, count - 1, rest, [{key, item} | entries])
  end

  defp decode_fields(fields, bytes, into) do
    Enum.reduce(fields, {into, bytes}, fn {field, type}, {record, bytes} ->
      {value, rest} = decode(type, bytes)
      {Map.put(record, field, value), rest}
    end)
  end

  defp decode_case(cases, <<number, rest::binary>>) when number < tuple_size(cases) do
    case elem(cases, number) do
      {tag, nil} ->
        {tag, rest}

      {tag, {:named, fields}} ->
        {values, rest} = decode_fields(fields, rest, %{})
        {{tag, values}, rest}

      {tag, {:tuple, types}} ->
        {values, rest} = Enum.map_reduce(types, rest, &decode/2)
        {List.to_tuple([tag | values]), rest}
    end
  end

  defp decode_case(_, _), do: throw({:malformed, "a number is no case"})

  defp expected(what, value, place), do: refuse(place, "expected #{what}, got #{shown(value)}")

  defp refuse(place, message), do: throw({:refused, "#{path(place)}#{message}"})

  # Of other values, only the type is shown: they may be large, or secret.
  defp shown(value) when is_number(value) and abs(value) < 0x1_0000_0000_0000_0000_0000, do: inspect(value)
  defp shown(value) when is_atom(value), do: inspect(value)
  defp shown(value) when is_number(value), do: "a number beyond it"
  defp shown(value) when is_binary(value), do: "a binary of #{byte_size(value)} bytes"
  defp shown(value) when is_list(value), do: "a list"
  defp shown(%module{}), do: "a #{inspect(module)}"
  defp shown(value) when is_map(value), do: "a map"
  defp shown(value) when is_tuple(value), do: "a tuple of #{tuple_size(value)}"
  defp shown(_), do: "something else"

  defp path([]), do: ""

  defp path(place) do
    [first | steps] = Enum.reverse(place)

    steps =
      Enum.map(steps, fn
        step when is_integer(step) -> "[#{step}]"
        {:key, key} when is_binary(key) -> "[#{inspect(key, printable_limit: 40)}]"
        {:key, _} -> "[…]"
        step -> ".#{step}"
      end)

    "#{first}#{steps}: "
  end

  defp described(:bool), do: "true or false"
  defp described(:text), do: "text"
  defp described(:bytes), do: "a binary"
  defp described(type) when type in [:f32, :f64], do: "a number, :nan, :infinity or :neg_infinity"
  defp described({:list, _}), do: "a list"
  defp described({:map, _}), do: "a map with text as its keys"
  defp described({:optional, type}), do: "nil or #{described(type)}"
  defp described({:defined, number}), do: "a #{inspect(elem(Interface.definition(number), 1))}"
  defp described(integer), do: "a whole number that #{integer} can hold"
end
