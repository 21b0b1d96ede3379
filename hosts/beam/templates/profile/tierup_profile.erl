%% The sensor of `tierup profile`: the BEAM starts it before the server's own code. It connects to tierup and samples while
%% tierup asks for it (`sample`), or writes down where the modules' sources are for a sampler that sees only names
%% (`name_modules`). An error of its own never reaches the server.
%%
%% A sample is the stack of each process that runs, or could run if it had a scheduler.
-module(tierup_profile).

-export([sample/0, name_modules/0]).

-define(SOCKET, {{socket}}).
%% What the file of modules begins with.
-define(MODULES, {{modules}}).
%% Between two looks for modules that were loaded, in milliseconds.
-define(LOOK, 500).
%% Between two samples, in microseconds, and how many times longer than the last sample it is at least.
-define(INTERVAL, {{microseconds}}).
-define(REST, 20).
%% Frames of a stack, from its leaf. By itself, the BEAM shows 8.
-define(DEPTH, 128).

sample() -> beside(fun connect/0).

name_modules() -> beside(fun() -> name_modules(?MODULES ++ os:getpid(), 0) end).

%% Whatever happens to it, the server goes on.
beside(Work) ->
    spawn(fun() ->
        try Work() catch _:_ -> ok end
    end),
    ok.

name_modules(Path, Known) ->
    Modules = [Module || {Module, _} <- code:all_loaded()],
    case length(Modules) of
        Known ->
            ok;
        _ ->
            Lines = [[module_name(Module), "\t", plain(file(Module, atom_to_list(Module))), "\n"] || Module <- Modules],
            ok = file:write_file([Path, ".new"], unicode:characters_to_binary(Lines)),
            ok = file:rename([Path, ".new"], Path)
    end,
    timer:sleep(?LOOK),
    name_modules(Path, length(Modules)).

connect() ->
    {ok, Socket} = gen_tcp:connect({local, unicode:characters_to_binary(?SOCKET)}, 0, [local, binary, {packet, line}, {buffer, 65536}]),
    ok = gen_tcp:send(Socket, ["hello ", os:getpid(), " 0\n"]),
    %% It has to run while other processes do.
    process_flag(priority, high),
    idle(Socket).

idle(Socket) ->
    receive
        {tcp, Socket, <<"start\n">>} ->
            Own = erlang:system_flag(backtrace_depth, ?DEPTH),
            ok = gen_tcp:send(Socket, "started\n"),
            Answer = try sampling(Socket, cpu_ms(), #{}, now_us(), ?INTERVAL) after erlang:system_flag(backtrace_depth, Own) end,
            ok = gen_tcp:send(Socket, Answer),
            idle(Socket);
        {tcp, Socket, _} ->
            ok = gen_tcp:send(Socket, "failed it was not sampled\n"),
            idle(Socket);
        {tcp_closed, Socket} ->
            ok;
        {tcp_error, Socket, _} ->
            ok;
        _ ->
            idle(Socket)
    end.

%% Until tierup says "stop FILE", or is gone. Out: what it is answered.
sampling(Socket, Before, Counts, Last, Pause) ->
    receive
        {tcp, Socket, <<"stop ", Line/binary>>} ->
            Used = (cpu_ms() - Before) * 1000,
            case file:write_file(string:trim(Line, trailing, "\n"), lines(Counts)) of
                ok -> ["stopped ", integer_to_list(Used), "\n"];
                {error, Reason} -> ["failed ", file:format_error(Reason), "\n"]
            end;
        {tcp, Socket, _} ->
            "failed it samples already\n";
        {tcp_closed, Socket} ->
            exit(normal);
        {tcp_error, Socket, _} ->
            exit(normal)
    after (Pause + 999) div 1000 ->
        Begun = now_us(),
        %% A sample stands for the time since the one before.
        Weight = (Begun - Last) / ?INTERVAL,
        Sampled = lists:foldl(fun(Process, Into) -> sampled(Process, Weight, Into) end, Counts, processes()),
        sampling(Socket, Before, Sampled, Begun, max(?INTERVAL, ?REST * (now_us() - Begun)))
    end.

sampled(Process, _, Counts) when Process =:= self() ->
    Counts;
sampled(Process, Weight, Counts) ->
    %% Most processes wait, and are not to be disturbed for their stacks.
    case process_info(Process, status) of
        {status, Status} when Status =:= running; Status =:= runnable; Status =:= garbage_collecting ->
            add(process_info(Process, [status, current_stacktrace]), Weight, Counts);
        _ ->
            Counts
    end.

%% A process that runs answers when it next could make way for another; until then it may have begun to wait.
add([{status, Status}, {current_stacktrace, Stack}], Weight, Counts) when Status =:= running; Status =:= runnable ->
    add(Stack, Weight, Counts);
add([{status, garbage_collecting}, {current_stacktrace, Stack}], Weight, Counts) ->
    add([collector | Stack], Weight, Counts);
add([{_, _} | _], _, Counts) ->
    Counts;
add(undefined, _, Counts) ->
    Counts;
add(Stack, Weight, Counts) ->
    maps:update_with(Stack, fun(Sum) -> Sum + Weight end, Weight, Counts).

%% Of all threads of the BEAM.
cpu_ms() -> element(1, erlang:statistics(runtime)).

now_us() -> erlang:monotonic_time(microsecond).

%% Collapsed stacks, from the root.
lines(Counts) ->
    [line(Stack, Sum) || {Stack, Sum} <- maps:to_list(Counts), Stack =/= []].

line(Stack, Sum) ->
    Frames = lists:join(";", [frame(Frame) || Frame <- lists:reverse(Stack)]),
    [Frames, " ", float_to_binary(Sum, [{decimals, 3}]), "\n"].

frame(collector) ->
    "(garbage collector)";
frame({Module, Function, Arity, Where}) ->
    Count = if is_list(Arity) -> length(Arity); true -> Arity end,
    Line = proplists:get_value(line, Where, 0),
    Name = [module_name(Module), ".", atom_to_binary(Function), "/", integer_to_binary(Count)],
    plain([Name, " (", file(Module, proplists:get_value(file, Where, "")), ":", integer_to_binary(Line), ")"]).

module_name(Module) ->
    case atom_to_binary(Module) of
        <<"Elixir.", Name/binary>> -> Name;
        Name -> Name
    end.

%% `library:APPLICATION/FILE` for what comes with Erlang and Elixir, or lies beside it. Otherwise the source's path.
file(Module, File) ->
    case code:which(Module) of
        Beam when is_list(Beam), Beam =/= "" ->
            Folder = filename:dirname(filename:dirname(Beam)),
            case is_library(Folder) of
                true -> ["library:", hd(string:split(filename:basename(Folder), "-")), "/", filename:basename(File)];
                false -> source(Module, File)
            end;
        preloaded ->
            ["library:erts/", filename:basename(File)];
        _ ->
            source(Module, File)
    end.

is_library(Folder) ->
    Roots = [code:lib_dir()] ++ [filename:dirname(Elixir) || Elixir <- [code:lib_dir(elixir)], is_list(Elixir)],
    lists:member(filename:dirname(Folder), Roots).

source(Module, File) ->
    Compiled = try Module:module_info(compile) catch _:_ -> [] end,
    proplists:get_value(source, Compiled, File).

%% Without what separates frames.
plain(Text) ->
    [if Char =:= $;; Char < 32 -> $_; true -> Char end || Char <- unicode:characters_to_list(Text)].
