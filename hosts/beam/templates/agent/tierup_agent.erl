%% A process in the server's BEAM that connects to tierup and obeys it; another module does the work. Its errors never
%% reach the server.
-module(tierup_agent).

-export([beside/1, serve/3]).

%% Turns the state at the connection into the working state. `start` and `found` throw why they fail, as text.
-callback start(Known :: term()) -> State :: term().
%% The pause before the next look, in milliseconds.
-callback pause(State :: term()) -> timeout().
-callback look(State :: term()) -> State :: term().
%% The words after `stopped`, and the text of the file.
-callback found(State :: term()) -> {iodata(), iodata()}.
%% Must restore the BEAM's settings, whatever happened.
-callback ended(State :: term()) -> term().

%% The server goes on, whatever happens to this process.
beside(Work) ->
    spawn(fun() ->
        try Work() catch _:_ -> ok end
    end),
    ok.

serve(Path, Work, Known) ->
    {ok, Socket} = gen_tcp:connect({local, unicode:characters_to_binary(Path)}, 0, [local, binary, {packet, line}, {buffer, 65536}]),
    ok = gen_tcp:send(Socket, ["hello ", os:getpid(), " 0\n"]),
    %% It must run while other processes do.
    process_flag(priority, high),
    idle(Socket, Work, Known).

idle(Socket, Work, Known) ->
    receive
        {tcp, Socket, <<"start\n">>} ->
            ok = gen_tcp:send(Socket, [round(Socket, Work, Known), "\n"]),
            idle(Socket, Work, Known);
        {tcp, Socket, _} ->
            ok = gen_tcp:send(Socket, "failed it was not started\n"),
            idle(Socket, Work, Known);
        {tcp_closed, Socket} ->
            ok;
        {tcp_error, Socket, _} ->
            ok;
        _ ->
            idle(Socket, Work, Known)
    end.

%% Returns the answer to tierup.
round(Socket, Work, Known) ->
    try Work:start(Known) of
        State ->
            try
                ok = gen_tcp:send(Socket, "started\n"),
                working(Socket, Work, State)
            after
                Work:ended(State)
            end
    catch
        throw:Why -> ["failed ", Why];
        error:_ -> "failed it cannot be started"
    end.

%% Works until tierup says "stop FILE", or is gone.
working(Socket, Work, State) ->
    receive
        {tcp, Socket, <<"stop ", Line/binary>>} ->
            try written(string:trim(Line, trailing, "\n"), Work:found(State))
            catch
                throw:Why -> ["failed ", Why];
                error:_ -> "failed what it found cannot be read"
            end;
        {tcp, Socket, _} ->
            "failed it was started already";
        {tcp_closed, Socket} ->
            exit(normal);
        {tcp_error, Socket, _} ->
            exit(normal)
    after Work:pause(State) ->
        working(Socket, Work, Work:look(State))
    end.

written(File, {Said, Text}) ->
    case file:write_file(File, Text) of
        ok -> ["stopped ", Said];
        {error, Reason} -> throw(file:format_error(Reason))
    end.
