%% Describes values as types, for the witness. In: a value. Out: its type, without its content.
-module(tierup_shapes).

-export([new/0, add/3]).

-define(MOST_ELEMENTS, 1000).
-define(DEEPEST, 8).
%% The most bytes of a text that are inspected.
-define(MOST_BYTES, 1000000).

%% The words of the server's source, which are read when they are first needed.
new() -> none.

%% Adds the type of a value to those of others, once.
add(Value, Known, Words) ->
    {Shape, More} = shape(Value, 0, Words),
    {added(Shape, Known), More}.

added(Shape, Known) ->
    case lists:member(Shape, Known) orelse length(Known) >= ?MOST_ELEMENTS of
        true -> Known;
        false -> Known ++ [Shape]
    end.

shape(nil, _, Words) -> {#{is => absent}, Words};
shape(Value, _, Words) when is_boolean(Value) -> {#{is => bool}, Words};
shape(undefined, _, Words) -> refused("the atom `undefined`: the package has `nil` for nothing", Words);
shape(Value, _, Words) when is_atom(Value) -> refused("an atom: pass its name, as text", Words);
shape(Value, _, Words) when is_float(Value) -> {#{is => float}, Words};
shape(Value, _, Words) when is_integer(Value) -> {whole(Value), Words};
shape(Value, _, Words) when is_binary(Value) -> {binary(Value), Words};
shape(Value, _, Words) when is_bitstring(Value) -> refused("bits that are no whole bytes", Words);
shape(Value, _, Words) when is_tuple(Value) -> refused("a tuple: make it a map with a name for each part", Words);
shape(Value, _, Words) when is_function(Value) -> refused("a function", Words);
shape(Value, _, Words) when is_pid(Value) -> refused("a process", Words);
shape(Value, _, Words) when is_port(Value); is_reference(Value) -> refused("a port or a reference", Words);
shape(_, Depth, Words) when Depth >= ?DEEPEST ->
    refused(["a value nested deeper than ", integer_to_list(?DEEPEST), " levels"], Words);
shape([{Key, _} | _], _, Words) when is_atom(Key) -> refused("a keyword list: take each of its values as an argument", Words);
shape(Value, Depth, Words) when is_list(Value) -> list(Value, Depth, ?MOST_ELEMENTS, [], Words);
shape(#{'__struct__' := Module} = Value, Depth, Words) when is_atom(Module) -> struct(Module, Value, Depth, Words);
shape(Value, Depth, Words) -> map(Value, Depth, Words).

whole(Value) when Value >= -16#80000000, Value < 16#100000000 ->
    #{is => whole, signed => Value < 0, large => Value >= 16#80000000};
whole(Value) when Value >= -16#8000000000000000, Value < 16#10000000000000000 ->
    #{is => wide, signed => Value < 16#8000000000000000};
whole(_) ->
    #{is => refused, why => <<"a whole number of more than 64 bits">>}.

%% Bytes that happen to be UTF-8 have the same type as text.
binary(Value) when byte_size(Value) > ?MOST_BYTES ->
    case unicode:characters_to_binary(binary:part(Value, 0, ?MOST_BYTES)) of
        {error, _, _} -> #{is => raw};
        %% The last character may be cut.
        _ -> #{is => text}
    end;
binary(Value) ->
    case unicode:characters_to_binary(Value) of
        Text when is_binary(Text) -> #{is => text};
        _ -> #{is => raw}
    end.

list([Element | Rest], Depth, Left, Known, Words) when Left > 0 ->
    {Shape, More} = shape(Element, Depth + 1, Words),
    list(Rest, Depth, Left - 1, added(Shape, Known), More);
list(Rest, _, _, Known, Words) when is_list(Rest) ->
    {#{is => list, 'of' => Known}, Words};
list(_, _, _, _, Words) ->
    refused("a list that does not end with `[]`", Words).

%% The names of a struct's fields come from its module.
struct(Module, Value, Depth, Words) ->
    case code:ensure_loaded(Module) =:= {module, Module} andalso erlang:function_exported(Module, '__struct__', 0) of
        true ->
            case tierup_frames:is_own({Module, '__struct__', 0, []}) of
                true -> record(maps:to_list(maps:remove('__struct__', Value)), Depth, Words);
                false -> refused(["a `", tierup_frames:module_name(Module), "`: pass what it holds as text or numbers"], Words)
            end;
        false ->
            refused("a struct of a module that is not there", Words)
    end.

map(Value, Depth, Words) ->
    %% Only the first entries of a large map are inspected.
    Entries = first(maps:next(maps:iterator(Value)), ?MOST_ELEMENTS),
    Texts = lists:all(fun({Key, _}) -> is_binary(Key) end, Entries),
    Atoms = lists:all(fun({Key, _}) -> is_atom(Key) end, Entries),
    if
        Texts ->
            {#{'of' := Known}, More} = list([Element || {_, Element} <- Entries], Depth, ?MOST_ELEMENTS, [], Words),
            {#{is => map, 'of' => Known}, More};
        Atoms ->
            Known = if Words =:= none -> tierup_words:of_server(); true -> Words end,
            case lists:all(fun({Key, _}) -> is_map_key(atom_to_binary(Key), Known) end, Entries) of
                true -> record(lists:sort(Entries), Depth, Known);
                %% The keys may be data.
                false -> refused("a map whose keys are atoms that do not stand in the server's source: make them text", Known)
            end;
        true ->
            refused("a map whose keys are neither text nor atoms", Words)
    end.

first({Key, Element, Next}, Left) when Left > 0 -> [{Key, Element} | first(maps:next(Next), Left - 1)];
first(_, _) -> [].

record(Entries, Depth, Words) ->
    {Fields, More} = lists:mapfoldl(
        fun({Name, Element}, Before) ->
            {Shape, After} = shape(Element, Depth + 1, Before),
            {[atom_to_binary(Name), Shape], After}
        end,
        Words,
        Entries
    ),
    {#{is => record, fields => Fields}, More}.

refused(Why, Words) -> {#{is => refused, why => unicode:characters_to_binary(Why)}, Words}.
