%% Looks at processes, and counts stacks. A process that runs on another scheduler shows its stack when it next makes way or waits, and the
%% stack stands for the time until the next look. Of those that wait, a few show theirs: it is no CPU time, but says what they wait for.
-module(tierup_stacks).

-export([new/1, look/2, stop/0, lines/4]).

%% Of many processes that run, so many are asked at a look: each may need a millisecond to answer.
-define(MOST_ASKED, 4).
%% The same of those that wait, which answer at once.
-define(MOST_WAITING, 8).
%% Distinct stacks that are kept.
-define(MOST_STACKS, 20000).

-define(COLLECTOR, <<"(garbage collector)">>).
-define(WAITING, <<"(waiting)">>).
%% A process that owns a port is what others call for input and output.
-define(PORT_OWNER, <<"(a process that owns a socket)">>).
%% A stack that is no function's.
-define(ROW(Text), [<<Text, "_[not sampled]">>]).
-define(ENDED, ?ROW("processes that ended before they were asked")).

new(Now) -> #{last => Now, shown => [], sums => #{}, cost => 0}.

%% Out: what the look took, without the time in which others finished what they did, in microseconds; and the stacks.
look(#{cost := Cost} = Stacks, Now) ->
    Counted = counted(Stacks, Now),
    Seen = [{Process, status(Process)} || Process <- processes(), Process =/= self()],
    {Running, Others} = lists:partition(fun({_, Status}) -> runs(Status) end, Seen),
    Waiting = [Process || {Process, waiting} <- some(?MOST_WAITING, Others)],
    Waited = length(Others) / max(1, length(Waiting)),
    AtRest = [{{waiting, Stack}, Waited} || Process <- Waiting, Stack <- waits(Process)],
    Took = erlang:monotonic_time(microsecond) - Now,
    Asked = some(?MOST_ASKED, Running),
    Weight = seen_by(length(Running)) * length(Running) / max(1, length(Asked)),
    Shown = [{Key, Weight} || One <- Asked, Key <- shows(One)],
    on_next_scheduler(),
    {Took, Counted#{shown := Shown ++ AtRest, cost := Cost + Took}}.

%% The scheduler that this process is on cannot run another meanwhile: so it looks from all of them in turn.
on_next_scheduler() ->
    Online = erlang:system_info(schedulers_online),
    bind(1 + erlang:system_info(scheduler_id) rem Online).

stop() -> bind(0).

%% The flag is not documented. Without it, all looks are from where this process happens to be.
bind(Scheduler) ->
    try process_flag(scheduler, Scheduler) catch _:_ -> ok end.

%% How many times the time of a process that was seen counts, as those on this scheduler are not. Dirty schedulers are all seen.
seen_by(Running) ->
    case erlang:system_info(schedulers_online) of
        1 ->
            1.0;
        Online ->
            [Io, Cpu | _] = lists:reverse(erlang:statistics(active_tasks_all)),
            Dirty = min(Running, Io + Cpu),
            (Dirty + (Running - Dirty) * Online / (Online - 1)) / max(1, Running)
    end.

status(Process) ->
    case process_info(Process, status) of
        {status, Status} -> Status;
        undefined -> ended
    end.

runs(running) -> true;
runs(garbage_collecting) -> true;
%% One that could run waits for a processor. With one scheduler, all others do.
runs(runnable) -> erlang:system_info(schedulers_online) =:= 1;
runs(_) -> false.

%% So many of them, side by side, from a random one on.
some(Most, List) ->
    case length(List) of
        Length when Length =< Most ->
            List;
        Length ->
            {Before, Behind} = lists:split(rand:uniform(Length) - 1, List),
            lists:sublist(lists:sublist(Behind, Most) ++ Before, Most)
    end.

shows({Process, Status}) ->
    case process_info(Process, current_stacktrace) of
        {current_stacktrace, []} -> [];
        {current_stacktrace, Stack} when Status =:= garbage_collecting -> [{collector, [?COLLECTOR | Stack]}];
        {current_stacktrace, Stack} -> [{running, Stack}];
        undefined -> [{running, ?ENDED}]
    end.

waits(Process) ->
    case process_info(Process, [status, current_stacktrace, monitors]) of
        [{status, waiting}, {current_stacktrace, [{gen, do_call, _, _} | _] = Stack}, {monitors, [{process, Called}]}] ->
            [case owns_port(Called) of true -> [?WAITING, ?PORT_OWNER | Stack]; false -> [?WAITING | Stack] end];
        [{status, waiting}, {current_stacktrace, [_ | _] = Stack}, _] ->
            [[?WAITING | Stack]];
        _ ->
            []
    end.

owns_port(Process) when is_pid(Process), node(Process) =:= node() ->
    case process_info(Process, links) of
        {links, Links} -> lists:any(fun is_port/1, Links);
        undefined -> false
    end;
owns_port({Name, Node}) when Node =:= node() ->
    owns_port(whereis(Name));
owns_port(_) ->
    false.

%% With the time that the last look stands for.
counted(#{last := Last, shown := Shown, sums := Sums} = Stacks, Now) ->
    Add = fun({Key, Weight}, Into) ->
        Time = Weight * (Now - Last),
        case Into of
            #{Key := Sum} -> Into#{Key := Sum + Time};
            _ when map_size(Into) < ?MOST_STACKS -> Into#{Key => Time};
            _ -> Into
        end
    end,
    Stacks#{last := Now, shown := [], sums := lists:foldl(Add, Sums, Shown)}.

%% Collapsed stacks, in samples of an interval, and rows for the BEAM's own work.
lines(Stacks, Now, Spent, Interval) ->
    #{sums := Sums, cost := Cost} = counted(Stacks, Now),
    Of = fun(Wanted) -> [{Stack, Time} || {{Kind, Stack}, Time} <- maps:to_list(Sums), Kind =:= Wanted] end,
    Waiting = [{Stack, Time} || {Stack, Time} <- Of(waiting), lists:any(fun tierup_frames:is_own/1, Stack)],
    All = Waiting ++ true_to(Spent, Of(running), Of(collector), Cost),
    [line(Stack, Time / Interval) || {Stack, Time} <- All, Time > 0].

%% Where the BEAM has an account of its time, samples are scaled to that. A process also does the work of ports, where it sends something,
%% but nobody accounts for which: it is what was sampled beyond the processes' time.
true_to(#{scale := Scale} = Spent, Running, Collector, Cost) ->
    #{processes := Processes, collector := Collecting, ports := Ports, polling := Polling, schedulers := Schedulers} = Spent,
    Sampled = sum(Running),
    Seen = min(Processes + Ports, max(Processes, Scale * Sampled)),
    Own = min(Seen, Scale * Cost),
    Rows = [
        {?ROW("the profiler itself"), Own},
        {?ROW("the BEAM's ports (sockets, files, other programs)"), Ports - (Seen - Processes)},
        {?ROW("the BEAM's polling for input and output"), Polling},
        {?ROW("the BEAM's schedulers (finding work, falling asleep, waking up)"), Schedulers}
    ],
    Collected = case Collector of [] -> [{[?COLLECTOR], 1}]; _ -> Collector end,
    Rows ++ scaled(Running, Seen - Own) ++ scaled(Collected, Collecting);
true_to(_, Running, Collector, Cost) ->
    [{?ROW("the profiler itself"), Cost} | Running ++ Collector].

scaled(Stacks, Time) ->
    Sampled = sum(Stacks),
    [{Stack, Time * One / Sampled} || {Stack, One} <- Stacks].

sum(Stacks) -> lists:sum([Time || {_, Time} <- Stacks]).

line(Stack, Samples) ->
    [tierup_frames:stack(Stack), " ", float_to_binary(float(Samples), [{decimals, 3}]), "\n"].
