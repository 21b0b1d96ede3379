%% The words of the server's own source. In: the loaded modules. Out: a map of all words in their files, in upper or
%% lower case. Files of dependencies are left out.
-module(tierup_words).

-export([of_server/0]).

of_server() ->
    Files = lists:usort([File || {Module, _} <- code:all_loaded(), tierup_frames:is_own({Module, none, 0, []}), File <- source(Module)]),
    maps:from_keys(lists:flatmap(fun words/1, Files), true).

source(Module) ->
    Compiled = try Module:module_info(compile) catch _:_ -> [] end,
    [File || File <- [proplists:get_value(source, Compiled)], is_list(File), string:find(File, "/deps/") =:= nomatch].

words(File) ->
    case file:read_file(File) of
        {ok, Text} ->
            case re:run(Text, "[A-Za-z_][A-Za-z0-9_]*", [global, {capture, first, binary}]) of
                {match, Found} -> [binary:copy(Word) || [Word] <- Found];
                nomatch -> []
            end;
        {error, _} ->
            []
    end.
