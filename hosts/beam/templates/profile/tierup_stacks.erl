%% Looks at processes, and sums up their stacks over time. Out: collapsed stacks.
%%
%% A running process shows its stack when it next yields or waits, and the stack stands for the time until the next
%% look. So does the stack of a runnable process, because this process takes the place of one while it looks. A few of
%% the waiting processes show their stacks, too: these are no CPU time, but tell what is waited for.
-module(tierup_stacks).

-export([new/0, look/1, stop/0, lines/3]).

%% About this many running or runnable processes show their stacks at each look, as each may take a millisecond.
-define(MOST_ACTIVE, 8).
%% About this many waiting processes do so, which takes no time.
-define(MOST_WAITING, 2).
%% The most distinct stacks that are kept.
-define(MOST_STACKS, 20000).

%% In microseconds: a look counts at most twice the time of the one before, and the first at most twice this.
-define(USUAL, 200).

-define(COLLECTOR, <<"(garbage collector)">>).
-define(WAITING, <<"(waiting)">>).
%% Other processes call a process that owns a port for input and output.
-define(PORT_OWNER, <<"(a process that owns a socket)">>).
%% A row that belongs to no function.
-define(ROW(Text), [<<Text, "_[not sampled]">>]).
-define(ENDED, ?ROW("processes that ended before they were asked")).

%% The results of a look: counts of processes, stacks with their weights, and the time in which other processes finished
%% their work.
-record(seen, {running = 0, runnable = 0, waiting = 0, shown = [], asked = 0}).

new() ->
    #{last => now_us(), shown => [], sums => #{}, cost => 0, usual => ?USUAL, active => 1, waiting => 1}.

%% Returns the look's time in microseconds, without that in which other processes finished their work; and the stacks.
look(#{cost := Cost, usual := Usual, active := Active, waiting := Waiting} = Stacks) ->
    on_next_scheduler(),
    Begun = now_us(),
    Counted = counted(Stacks, Begun),
    Chances = {min(1.0, ?MOST_ACTIVE / Active), min(1.0, ?MOST_WAITING / Waiting)},
    %% The newest come first, as the look would miss many of those that live shorter than the look takes.
    #seen{running = Running, runnable = Runnable, waiting = Waits, shown = Shown, asked = Asked} =
        each(lists:reverse(processes()), Chances, #seen{}),
    Part = part_of_runnable(Running, Runnable),
    Weighed = [{Key, if Status =:= runnable -> Weight * Part; true -> Weight end} || {Status, Key, Weight} <- Shown],
    %% The time is limited, as this process's thread may have waited for a processor.
    Took = min(now_us() - Begun - Asked, 2 * Usual),
    Next = #{shown => Weighed, cost => Cost + Took, usual => max(1, Took), active => max(1, Running + Runnable), waiting => max(1, Waits)},
    {Took, maps:merge(Counted, Next)}.

%% This process wakes up on the scheduler of its timer just when that scheduler has yielded, so it would always see the
%% same moments of the processes there. So it moves to the next scheduler before each look.
on_next_scheduler() -> bind(1 + erlang:system_info(scheduler_id) rem erlang:system_info(schedulers_online)).

stop() -> bind(0).

%% The flag is not documented. Without it, all looks happen on the scheduler where this process happens to be.
bind(Scheduler) ->
    try process_flag(scheduler, Scheduler) catch _:_ -> ok end.

each([], _, Seen) ->
    Seen;
each([Process | Others], Chances, Seen) when Process =:= self() ->
    each(Others, Chances, Seen);
each([Process | Others], {OfActive, OfWaiting} = Chances, Seen) ->
    Now =
        case process_info(Process, status) of
            {status, waiting} ->
                waiting(Process, OfWaiting, Seen#seen{waiting = Seen#seen.waiting + 1});
            {status, runnable} ->
                active(Process, runnable, OfActive, Seen#seen{runnable = Seen#seen.runnable + 1});
            {status, Status} when Status =:= running; Status =:= garbage_collecting ->
                active(Process, running, OfActive, Seen#seen{running = Seen#seen.running + 1});
            _ ->
                Seen
        end,
    each(Others, Chances, Now).

%% With this chance, the process shows its stack, which then also stands for others.
active(Process, Status, Chance, #seen{asked = Asked, shown = Shown} = Seen) ->
    case is_chosen(Chance) of
        true ->
            Begun = now_us(),
            %% The stack is taken at once, as the process soon does something else.
            Keys = [{Status, Key, 1 / Chance} || Key <- shows(Process)],
            Seen#seen{asked = Asked + now_us() - Begun, shown = Keys ++ Shown};
        false ->
            Seen
    end.

waiting(Process, Chance, #seen{shown = Shown} = Seen) ->
    case is_chosen(Chance) of
        true -> Seen#seen{shown = [{waiting, Key, 1 / Chance} || Key <- waits(Process)] ++ Shown};
        false -> Seen
    end.

is_chosen(Chance) -> Chance >= 1.0 orelse rand:uniform() < Chance.

%% The part of the time in which a runnable process would run: it shares the schedulers that running processes leave
%% free. Processes on dirty schedulers, which run long work, take none of these.
part_of_runnable(Running, Runnable) ->
    [Io, Cpu | _] = lists:reverse(erlang:statistics(active_tasks_all)),
    Free = erlang:system_info(schedulers_online) - max(0, Running - Io - Cpu),
    min(1.0, max(0, Free) / max(1, Runnable)).

shows(Process) ->
    case process_info(Process, current_stacktrace) of
        {current_stacktrace, []} -> [];
        {current_stacktrace, Stack} -> [{running, Stack}];
        undefined -> [{running, ?ENDED}]
    end.

waits(Process) ->
    case process_info(Process, [status, current_stacktrace]) of
        [{status, waiting}, {current_stacktrace, [{gen, do_call, _, _} | _] = Stack}] ->
            [{waiting, [?WAITING | calls(Process, Stack)]}];
        [{status, waiting}, {current_stacktrace, [_ | _] = Stack}] ->
            [{waiting, [?WAITING | Stack]}];
        _ ->
            []
    end.

%% Only for a process in a call: others may have so many monitors that copying them would delay the process.
calls(Process, Stack) ->
    case process_info(Process, monitors) of
        {monitors, [{process, Called}]} -> case owns_port(Called) of true -> [?PORT_OWNER | Stack]; false -> Stack end;
        _ -> Stack
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

%% Adds the time since the last look to the stacks of that look.
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
lines(Stacks, Spent, Interval) ->
    #{sums := Sums, cost := Cost} = counted(Stacks, now_us()),
    Of = fun(Wanted) -> [{Stack, Time} || {{Kind, Stack}, Time} <- maps:to_list(Sums), Kind =:= Wanted, Time > 0] end,
    Waiting = [{Stack, Time} || {Stack, Time} <- Of(waiting), lists:any(fun tierup_frames:is_own/1, Stack)],
    All = Waiting ++ true_to(Spent, Of(running), Cost),
    [line(Stack, Time / Interval) || {Stack, Time} <- All, Time > 0].

%% If the BEAM has an account of its time, samples are scaled to it. A process that sends to a port also does the port's
%% work, which is not accounted for: it is what was sampled beyond the time of processes. A process that collects its
%% garbage shows its stack when it is done, so each stack gets its part of the collector's time.
true_to(#{scale := Scale} = Spent, Running, Cost) ->
    #{processes := Processes, collector := Collector, ports := Ports, polling := Polling, schedulers := Schedulers} = Spent,
    Seen = min(Processes + Ports, max(Processes, Scale * sum(Running) - Collector)),
    Own = min(Seen, Scale * Cost),
    Rows = [
        {?ROW("the profiler itself"), Own},
        {?ROW("the BEAM's ports (sockets, files, other programs)"), Ports - (Seen - Processes)},
        {?ROW("the BEAM's polling for input and output"), Polling},
        {?ROW("the BEAM's schedulers (finding work, falling asleep, waking up)"), Schedulers}
    ],
    Collected = case Running of [] -> [{[?COLLECTOR], 1}]; _ -> [{[?COLLECTOR | Stack], Time} || {Stack, Time} <- Running] end,
    Rows ++ scaled(Running, Seen - Own) ++ scaled(Collected, Collector);
true_to(_, Running, Cost) ->
    [{?ROW("the profiler itself"), Cost} | Running].

scaled(Stacks, Time) ->
    Sampled = sum(Stacks),
    [{Stack, Time * One / Sampled} || {Stack, One} <- Stacks].

sum(Stacks) -> lists:sum([Time || {_, Time} <- Stacks]).

line(Stack, Samples) ->
    [tierup_frames:stack(Stack), " ", float_to_binary(float(Samples), [{decimals, 3}]), "\n"].

now_us() -> erlang:monotonic_time(microsecond).
