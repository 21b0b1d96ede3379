%% The sensor of `tierup profile`: the BEAM starts it before the server's own code. It connects to tierup and samples while
%% tierup asks for it (`sample`), or writes down where the modules' sources are for a sampler that sees only names
%% (`name_modules`). An error of its own never reaches the server.
%%
%% Beside it are what it samples (`tierup_stacks`), the BEAM's own account of its time (`tierup_time`), and how frames are written
%% (`tierup_frames`).
-module(tierup_profile).

-export([sample/0, name_modules/0]).

-define(SOCKET, {{socket}}).
%% What the file of modules begins with.
-define(MODULES, {{modules}}).
%% Between two looks for modules that were loaded, in milliseconds.
-define(LOOK, 500).
%% Between two looks, in microseconds, and how many times longer than the work of the last look it is at least.
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
            Lines = [[tierup_frames:module_name(Module), "\t", tierup_frames:plain(tierup_frames:file(Module, atom_to_list(Module))), "\n"] || Module <- Modules],
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
    idle(Socket, tierup_time:threads()).

idle(Socket, Beams) ->
    receive
        {tcp, Socket, <<"start\n">>} ->
            Own = erlang:system_flag(backtrace_depth, ?DEPTH),
            Time = tierup_time:start(Beams),
            ok = gen_tcp:send(Socket, "started\n"),
            Answer =
                try
                    sampling(Socket, Time, tierup_stacks:new(), ?INTERVAL)
                after
                    tierup_time:stop(Time),
                    tierup_stacks:stop(),
                    erlang:system_flag(backtrace_depth, Own)
                end,
            ok = gen_tcp:send(Socket, Answer),
            idle(Socket, Beams);
        {tcp, Socket, _} ->
            ok = gen_tcp:send(Socket, "failed it was not sampled\n"),
            idle(Socket, Beams);
        {tcp_closed, Socket} ->
            ok;
        {tcp_error, Socket, _} ->
            ok;
        _ ->
            idle(Socket, Beams)
    end.

%% Until tierup says "stop FILE", or is gone. Out: what it is answered.
sampling(Socket, Time, Stacks, Pause) ->
    receive
        {tcp, Socket, <<"stop ", Line/binary>>} ->
            #{cpu := Used} = Spent = tierup_time:since(Time),
            Lines = tierup_stacks:lines(Stacks, Spent, ?INTERVAL),
            case file:write_file(string:trim(Line, trailing, "\n"), Lines) of
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
        {Cost, More} = tierup_stacks:look(Stacks),
        sampling(Socket, Time, More, max(?INTERVAL, ?REST * Cost))
    end.
