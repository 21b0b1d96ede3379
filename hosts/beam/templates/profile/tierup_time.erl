%% What the BEAM's threads did, by its own account: how long each was in Erlang's code, in the collector, in ports and so on (microstate
%% accounting). The account is of the clock, so it is scaled down to the CPU time of the process.
-module(tierup_time).

-export([threads/0, start/1, stop/1, since/1]).

%% States of a thread. A BEAM that was built for it has more of them than four.
-define(PROCESSES, [emulator, bif, nif, ets, send, alloc]).
-define(COLLECTOR, [gc, gc_full]).
-define(PORTS, [port]).
-define(POLLING, [check_io]).
-define(SCHEDULERS, [other, aux, timers, busy_wait]).

%% Linux's ids of the process's threads.
threads() ->
    case file:list_dir("/proc/self/task") of
        {ok, Threads} -> Threads;
        {error, _} -> []
    end.

%% The user's own accounting goes on. `Beams` are the threads that there were before the server's code ran: the BEAM's own.
start(Beams) ->
    Own = erlang:system_flag(microstate_accounting, true),
    #{own => Own, states => states(), beams => Beams, cpu => cpu()}.

stop(#{own := Own}) -> erlang:system_flag(microstate_accounting, Own).

%% In microseconds: the CPU of all threads (`cpu`), and of it what processes took (`processes`) and so on; by how much the account of the
%% clock is more than the CPU (`scale`, at most 1). Only `cpu` where the BEAM keeps no account.
since(#{states := Before, beams := Beams, cpu := Cpu}) ->
    Used = used(Cpu, cpu()),
    Sum = fun(Threads) -> lists:sum(maps:values(Threads)) end,
    All = Sum(Used),
    case states() of
        undefined ->
            #{cpu => All};
        After ->
            Spent = maps:map(fun(State, Time) -> max(0, Time - maps:get(State, Before, 0)) end, maps:remove(sleep, After)),
            Awake = Sum(Spent),
            %% Without those that NIFs start.
            Own = Sum(maps:with([process | Beams], Used)),
            Scale = if Awake > Own -> Own / Awake; true -> 1.0 end,
            Of = fun(States) -> Scale * Sum(maps:with(States, Spent)) end,
            %% A thread that falls asleep or wakes up takes CPU that is in no other state.
            Switching = max(0, Own - Awake),
            #{
                cpu => All,
                scale => Scale,
                processes => Of(?PROCESSES),
                collector => Of(?COLLECTOR),
                ports => Of(?PORTS),
                polling => Of(?POLLING),
                schedulers => Of(?SCHEDULERS) + Switching
            }
    end.

%% Of all threads together.
states() ->
    case erlang:statistics(microstate_accounting) of
        undefined -> undefined;
        Threads -> lists:foldl(fun(#{counters := Counters}, Sums) -> added(Counters, Sums) end, #{}, Threads)
    end.

added(Counters, Sums) ->
    Add = fun(State, Ticks, Into) ->
        Time = erlang:convert_time_unit(Ticks, perf_counter, microsecond),
        maps:update_with(State, fun(Sum) -> Sum + Time end, Time, Into)
    end,
    maps:fold(Add, Sums, Counters).

%% CPU of each thread, where Linux tells. The BEAM itself counts only what is outside of the kernel.
cpu() ->
    Cpu = fun(Thread) ->
        case file:read_file(["/proc/self/task/", Thread, "/schedstat"]) of
            {ok, Times} -> [{Thread, binary_to_integer(hd(binary:split(Times, <<" ">>))) div 1000}];
            {error, _} -> []
        end
    end,
    case lists:flatmap(Cpu, threads()) of
        [] -> #{process => 1000 * element(1, erlang:statistics(runtime))};
        Threads -> maps:from_list(Threads)
    end.

used(Before, After) -> maps:map(fun(Thread, Cpu) -> max(0, Cpu - maps:get(Thread, Before, 0)) end, After).
