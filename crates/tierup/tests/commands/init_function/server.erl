-module(server).
-export([start/0]).

%% Answers every request with what the functions of `words` make of its text.
start() ->
    {ok, Listener} = gen_tcp:listen(list_to_integer(os:getenv("PORT")), [binary, {ip, {127, 0, 0, 1}}, {packet, http_bin}, {active, false}, {reuseaddr, true}]),
    accept(Listener).

accept(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    spawn(fun() -> serve(Socket, <<"/">>) end),
    accept(Listener).

serve(Socket, Target) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, {http_request, _, {abs_path, Next}, _}} -> serve(Socket, Next);
        {ok, http_eoh} -> answer(Socket, Target);
        {ok, _} -> serve(Socket, Target);
        {error, _} -> gen_tcp:close(Socket)
    end.

answer(Socket, Target) ->
    [{<<"text">>, Text}] = uri_string:dissect_query(maps:get(query, uri_string:parse(Target))),
    Body = try words:shout(Text) catch _:_ -> <<"nothing">> end,
    words:pair(size, Text),
    gen_tcp:send(Socket, ["HTTP/1.1 200 OK\r\nContent-Length: ", integer_to_list(byte_size(Body)), "\r\n\r\n", Body]),
    serve(Socket, <<"/">>).
