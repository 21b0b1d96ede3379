%% What a server in Erlang calls, at every tier.
-module(caller).
-export([echo_text/1, main/0]).

-spec echo_text(binary()) -> {ok, binary()} | {error, map()}.
echo_text(Text) -> 'Elixir.Conformance':echo_text(Text).

main() ->
    {ok, _} = application:ensure_all_started(caller),
    [called(Tier) || Tier <- [<<"1:spawn">>, <<"1:pool">>, <<"3:native">>]],
    %% Tier 0 is a module of Erlang, too.
    'Elixir.Conformance':bind([{tier, <<"0">>}, {baseline, own}]),
    {ok, <<"own">>} = echo_text(<<"x">>),
    io:format("called from Erlang~n").

called(Tier) ->
    Tier = 'Elixir.Conformance':bind([{tier, Tier}]),
    {ok, <<"a">>} = echo_text(<<"a">>),
    {ok, 18446744073709551615} = 'Elixir.Conformance':echo_u64(18446744073709551615),
    {ok, #{'__struct__' := 'Elixir.Conformance.Point', x := 1.0}} =
        'Elixir.Conformance':echo_point(#{x => 1, y => 2}),
    {ok, nil} = 'Elixir.Conformance':do_nothing(),
    {error, #{'__struct__' := 'Elixir.Conformance.CallError', message := <<"no">>}} =
        'Elixir.Conformance':fail(<<"no">>).
