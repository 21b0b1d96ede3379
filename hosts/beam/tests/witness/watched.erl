%% A server for the witness's test: it obeys lines, and answers each with a line.
-module(watched).
-export([main/0, plain/1, deep/1, several/1]).

main() ->
    case io:get_line("") of
        "call\n" ->
            spawn_monitor(fun() -> [plain(<<"text">>) || _ <- lists:seq(1, 3)], loop(100000, []), deep(50), catch several(none) end),
            receive {'DOWN', _, _, _, _} -> io:put_chars("called\n") end,
            main();
        "large\n" ->
            spawn_monitor(fun() -> [plain(binary:copy(<<"x">>, 10)) || _ <- lists:seq(1, 5000)] end),
            receive {'DOWN', _, _, _, _} -> io:put_chars("called\n") end,
            main();
        "row\n" ->
            spawn_monitor(fun() -> [deep(2000) || _ <- lists:seq(1, 600)] end),
            receive {'DOWN', _, _, _, _} -> io:put_chars("called\n") end,
            main();
        "trace\n" ->
            erlang:trace_pattern({?MODULE, plain, 1}, true, [local]),
            io:put_chars("traced\n"),
            main();
        "look\n" ->
            Functions = [{?MODULE, Name, Arity} || {Name, Arity} <- ?MODULE:module_info(functions)],
            Set = [Function || Function <- Functions, erlang:trace_info(Function, all) =/= {all, false}],
            io:format("~w ~w ~w~n", [length(Set), erlang:system_info(trace_control_word), erlang:trace_info(new, flags)]),
            main();
        eof ->
            halt()
    end.

plain(Text) -> byte_size(Text).

%% This function is private, and calls itself with its intermediate result.
loop(0, Made) -> length(Made);
loop(Left, Made) -> loop(Left - 1, [Left | Made]).

deep(0) -> 0.5;
deep(Left) -> deep(Left - 1) + 1.

several(none) -> error(none).
