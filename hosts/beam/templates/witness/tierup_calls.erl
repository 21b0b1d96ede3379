%% A process that the BEAM tells of calls of watched functions in all processes. In: the functions, and how to examine a
%% call. Out: the notes about each function.
%%
%% A message copies the arguments, and a function may call itself a million times. So each watched function has a few
%% bits of the node's trace control word: a call is reported if they are not 0, and takes 1 off at once, in the calling
%% process. When a reported call has ended, they are filled up again. Meanwhile, further calls are not reported.
-module(tierup_calls).

-export([start/3, stop/1, clear/1]).

%% Each function has three bits of the word, which has 32.
-define(BITS, 3).
-define(PLACES, 10).
%% The most calls that are reported at a time. The second one of a process shows that a function calls itself.
-define(MOST_TOLD, 2).
%% The most calls of a function that are examined.
-define(MOST_CALLS, 500).
%% After this time without a call, the bits are filled up, as reported calls may never return. In milliseconds.
-define(QUIET, 100).
%% If this process takes more words of memory, the BEAM ends it.
-define(MOST_WORDS, 32 * 1024 * 1024).

%% In: for each watched function its number and the BEAM's names for it; all functions with any trace setting; the
%% function that examines a call. If the calling process, the agent, ends, this process clears the settings and ends.
start(Functions, All, Work) ->
    Agent = self(),
    Begin = fun() ->
        process_flag(max_heap_size, #{size => ?MOST_WORDS, kill => true, error_logger => false}),
        Watched = monitor(process, Agent),
        Numbers = maps:from_list([{Function, Number} || {Number, Same} <- Functions, Function <- Same]),
        [fill(Number, ?MOST_TOLD) || {Number, _} <- Functions],
        maps:foreach(fun(Function, Number) -> erlang:trace_pattern(Function, told(Number), [meta]) end, Numbers),
        Agent ! {self(), begun},
        told_of(#{agent => {Agent, Watched}, numbers => Numbers, all => All, work => Work, stacks => #{}, seen => #{}})
    end,
    %% Examined messages are freed at once.
    {Calls, _} = spawn_opt(Begin, [monitor, {fullsweep_after, 0}, {message_queue_data, off_heap}]),
    receive
        {Calls, begun} -> Calls;
        {'DOWN', _, process, Calls, _} -> error(not_begun)
    end.

%% Returns for each number how many calls came from outside, whether the function calls itself, and the notes about it.
stop(Calls) ->
    Calls ! {self(), stop},
    receive
        {Calls, Seen} -> Seen;
        {'DOWN', _, process, Calls, _} -> throw("the calls were too large to be looked at")
    end.

%% Removes all settings.
clear(Functions) ->
    [erlang:trace_pattern(Function, false, [Kind]) || Function <- Functions, Kind <- [meta, call_count]],
    erlang:system_flag(trace_control_word, 0).

told(Number) ->
    [{'_', [{'=/=', {'band', {get_tcw}, bits(Number, 7)}, 0}], [{set_tcw, {'-', {get_tcw}, bits(Number, 1)}}, {exception_trace}, {message, {caller}}]}].

bits(Number, Count) -> Count bsl (?BITS * (Number rem ?PLACES)).

fill(Number, Count) ->
    Others = erlang:system_info(trace_control_word) band bnot bits(Number, 7),
    erlang:system_flag(trace_control_word, Others bor bits(Number, Count)).

told_of(#{agent := {Agent, Watched}, numbers := Numbers, all := All} = State) ->
    receive
        {trace_ts, Process, call, {Module, Name, Arguments}, Caller, At} ->
            told_of(called(Process, {Module, Name, length(Arguments)}, Arguments, Caller, At, State));
        {trace_ts, Process, return_from, Function, Answer, At} ->
            told_of(left(Process, Function, {answer, Answer}, At, State));
        {trace_ts, Process, exception_from, Function, _, At} ->
            told_of(left(Process, Function, raised, At, State));
        {Agent, stop} ->
            [erlang:trace_pattern(Function, false, [meta]) || Function <- maps:keys(Numbers)],
            Delivered = erlang:trace_delivered(all),
            #{seen := Seen} = rest(Delivered, State),
            Agent ! {self(), Seen};
        {'DOWN', Watched, process, Agent, _} ->
            clear(All)
    after ?QUIET ->
        [fill(Number, most(seen(Number, State))) || Number <- lists:usort(maps:values(Numbers))],
        told_of(State)
    end.

%% Handles the calls that are under way when tracing stops.
rest(Delivered, State) ->
    receive
        {trace_ts, Process, call, {Module, Name, Arguments}, Caller, At} ->
            rest(Delivered, called(Process, {Module, Name, length(Arguments)}, Arguments, Caller, At, State));
        {trace_ts, Process, return_from, Function, Answer, At} ->
            rest(Delivered, left(Process, Function, {answer, Answer}, At, State));
        {trace_delivered, all, Delivered} ->
            State
    end.

%% A call in a process that has not left the function yet is the function's own, and so is one by the function itself,
%% as the call from outside may not have been reported.
called(Process, Function, Arguments, Caller, At, #{numbers := Numbers, stacks := Stacks, work := Work} = State) ->
    Number = maps:get(Function, Numbers),
    Stack = maps:get(Process, Stacks, []),
    #{outer := Outer, found := Found} = Seen = seen(Number, State),
    Known =
        case Caller =:= Function orelse lists:keymember(Function, 1, Stack) of
            true -> Seen#{itself := true};
            false when Outer < ?MOST_CALLS -> Seen#{outer := Outer + 1, found := looked(Work, {call, Function, Arguments}, At, Found)};
            false -> Seen#{outer := Outer + 1}
        end,
    Looked = Known =/= Seen andalso map_get(found, Known) =/= Found,
    Next = State#{stacks := Stacks#{Process => [{Function, Looked} | Stack]}, seen := (map_get(seen, State))#{Number => Known}},
    case Known of
        #{itself := false, outer := Many} when Many > ?MOST_CALLS -> erlang:trace_pattern(Function, false, [meta]);
        _ -> ok
    end,
    Next.

left(Process, Function, Outcome, At, #{numbers := Numbers, stacks := Stacks, work := Work} = State) ->
    case Stacks of
        #{Process := [{Function, Looked} | Stack]} ->
            Number = maps:get(Function, Numbers),
            #{found := Found} = Seen = seen(Number, State),
            Known = if Looked -> Seen#{found := looked(Work, Outcome, At, Found)}; true -> Seen end,
            case lists:keymember(Function, 1, Stack) of
                true -> ok;
                false -> fill(Number, most(Known))
            end,
            Rest = case Stack of [] -> maps:remove(Process, Stacks); _ -> Stacks#{Process := Stack} end,
            State#{stacks := Rest, seen := (map_get(seen, State))#{Number => Known}};
        _ ->
            State
    end.

%% A value that cannot be examined has no type.
looked(Work, What, At, Found) ->
    try Work(What, At, Found) catch _:_ -> Found end.

seen(Number, #{seen := All}) -> maps:get(Number, All, #{outer => 0, itself => false, found => none}).

%% If a function calls itself, only the call from outside is reported.
most(#{itself := true}) -> 1;
most(_) -> ?MOST_TOLD.
