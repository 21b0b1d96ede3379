%% The time of the BEAM's threads by its own account (microstate accounting): in Erlang code, in the collector, in ports
%% and so on. The account uses the clock, so it is scaled down to the CPU time of the process.
-module(tierup_time).

-export([threads/0, start/1, stop/1, since/1]).

%% The states of a thread. A BEAM may be built with more states than its usual ones.
-define(PROCESSES, [emulator, bif, nif, ets, send, alloc]).
-define(COLLECTOR, [gc, gc_full]).
-define(PORTS, [port]).
-define(POLLING, [check_io]).

%% Linux's ids of the process's threads.
threads() ->
    case file:list_dir("/proc/self/task") of
        {ok, Threads} -> Threads;
        {error, _} -> []
    end.

%% Keeps the user's own accounting. `Beams` are the BEAM's own threads, which existed before the server's code ran.
start(Beams) ->
    Own = erlang:system_flag(microstate_accounting, true),
    #{own => Own, states => states(), beams => Beams, cpu => cpu()}.

stop(#{own := Own}) -> erlang:system_flag(microstate_accounting, Own).

%% The CPU time of all threads (`cpu`), and the parts of processes (`processes`) and so on, in microseconds; and the
%% factor by which the account was scaled down (`scale`). Without an account, the result has only `cpu`.
since(#{states := Before, beams := Beams, cpu := Cpu}) ->
    Used = used(Cpu, cpu()),
    Sum = fun(Threads) -> lists:sum(maps:values(Threads)) end,
    All = Sum(Used),
    case states() of
        undefined ->
            #{cpu => All};
        After ->
            Spent = maps:map(fun(State, Time) -> max(0, Time - maps:get(State, Before, 0)) end, After),
            States = lists:append([?PROCESSES, ?COLLECTOR, ?PORTS, ?POLLING]),
            Known = Sum(maps:with(States, Spent)),
            %% Threads that NIFs start are left out.
            Own = Sum(maps:with([process | Beams], Used)),
            Scale = if Known > Own -> Own / Known; true -> 1.0 end,
            Of = fun(Some) -> Scale * Sum(maps:with(Some, Spent)) end,
            #{
                cpu => All,
                scale => Scale,
                processes => Of(?PROCESSES),
                collector => Of(?COLLECTOR),
                ports => Of(?PORTS),
                polling => Of(?POLLING),
                %% The remaining time. By the clock, schedulers that look for work would get more, as they yield to
                %% others; and they use CPU outside of all states when they fall asleep and wake up.
                schedulers => Own - Scale * Known
            }
    end.

%% The sums over all threads.
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

%% CPU time of each thread, if Linux tells it. The BEAM itself counts only the time outside of the kernel.
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
