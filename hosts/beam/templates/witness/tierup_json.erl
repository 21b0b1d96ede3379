%% Writes JSON, as OTP does only since version 27. In: maps with atom keys, lists, binaries, numbers, atoms; `none` is
%% null.
-module(tierup_json).

-export([text/1]).

text(none) -> "null";
text(Value) when is_boolean(Value) -> atom_to_list(Value);
text(Value) when is_atom(Value) -> quoted(atom_to_binary(Value));
text(Value) when is_integer(Value) -> integer_to_list(Value);
text(Value) when is_float(Value) -> float_to_list(Value, [{decimals, 3}]);
text(Value) when is_binary(Value) -> quoted(Value);
text(Value) when is_list(Value) -> [$[, lists:join($,, [text(Element) || Element <- Value]), $]];
text(Value) when is_map(Value) -> [${, lists:join($,, [[text(Key), $:, text(Element)] || {Key, Element} <- maps:to_list(Value)]), $}].

quoted(Text) -> [$", [escaped(Character) || Character <- unicode:characters_to_list(Text)], $"].

escaped(Character) when Character =:= $"; Character =:= $\\ -> [$\\, Character];
escaped(Character) when Character < 32; Character =:= 127 -> io_lib:format("\\u~4.16.0b", [Character]);
escaped(Character) -> <<Character/utf8>>.
