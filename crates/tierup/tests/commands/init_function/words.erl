-module(words).
-export([shout/1, pair/2]).

shout(<<>>) -> error(nothing);
shout(Text) -> string:uppercase(Text).

pair(Kind, Text) -> #{Kind => byte_size(Text), self() => Text}.
