%% The witness of `tierup init --function` and `tierup profile`: the BEAM starts it before the server's own code. While
%% tierup sends single requests, it counts calls, and notes the types of the watched functions' arguments and answers.
%% No value leaves the BEAM: only types, names from the user's own source, hashes with a key of this run, and the plain
%% hash of an answer, as in `[health]` of tierup.toml. Its errors never reach the server.
%%
%% Other modules receive calls (`tierup_calls`), read the source's functions (`tierup_definitions`) and words
%% (`tierup_words`), describe types (`tierup_shapes`), write JSON (`tierup_json`), and obey tierup (`tierup_agent`).
-module(tierup_witness).

-behaviour(tierup_agent).
-export([watch/0]).
-export([start/1, pause/1, look/1, found/1, ended/1]).

-define(SOCKET, {{socket}}).
-define(KEY, {{key}}).
%% For each function: file, name, name in the sensor's frames, and the line on which it begins or `none`.
-define(FUNCTIONS, {{functions}}).
-define(OWN_TRACING, "the server traces its own functions, which would be disturbed").

watch() -> tierup_agent:beside(fun() -> tierup_agent:serve(?SOCKET, ?MODULE, ?FUNCTIONS) end).

start(Functions) ->
    Files = maps:from_list([{File, there(File)} || File <- lists:usort([File || {File, _, _, _} <- Functions])]),
    Watched = [{Function, wanted(Function, maps:get(element(1, Function), Files))} || Function <- Functions],
    All = lists:usort([called(Definition) || Definition <- lists:append(maps:values(Files))]),
    Traced = erlang:system_info(trace_control_word) =/= 0 orelse [Function || Function <- All, erlang:trace_info(Function, all) =/= {all, false}] =/= [],
    if Traced -> throw(?OWN_TRACING); true -> ok end,
    try
        [1 = erlang:trace_pattern(Function, true, [call_count]) || Function <- All],
        Numbered = lists:enumerate(0, [[called(Definition) || Definition <- Wanted] || {_, Wanted} <- Watched]),
        #{files => Files, watched => Watched, all => All, calls => tierup_calls:start(Numbered, All, fun seen/3)}
    catch
        _:_ ->
            tierup_calls:clear(All),
            error(not_begun)
    end.

pause(_) -> infinity.

look(State) -> State.

found(#{files := Files, watched := Watched, calls := Calls}) ->
    Seen = tierup_calls:stop(Calls),
    Written = [
        written(Wanted, maps:get(File, Files), maps:get(Number, Seen, none))
     || {Number, {{File, _, _, _}, Wanted}} <- lists:enumerate(0, Watched)
    ],
    {"-", tierup_json:text(#{functions => Written})}.

ended(#{all := All}) -> tierup_calls:clear(All).

%% The functions of a file whose modules are loaded or can be loaded.
there(File) ->
    Definitions = tierup_definitions:of_file(File),
    Modules = [Module || Module <- lists:usort([Module || #{module := Module} <- Definitions]), is_of_file(Module, File)],
    Functions = [{Module, Name, Arity} || Module <- Modules, {Name, Arity} <- Module:module_info(functions)],
    [Definition || Definition <- Definitions, lists:member(called(Definition), Functions)].

%% Another file may define a module with this name. If the code was compiled elsewhere, only the name can be compared.
is_of_file(Module, File) ->
    case code:ensure_loaded(Module) of
        {module, Module} ->
            Source = proplists:get_value(source, Module:module_info(compile), ""),
            case {file:read_file_info(Source), file:read_file_info(File)} of
                {{ok, One}, {ok, Other}} -> same_file(One, Other);
                _ -> true
            end;
        {error, _} ->
            false
    end.

%% Compares device and inode, which are elements of the record `file_info`.
same_file(One, Other) -> [element(Place, One) || Place <- [10, 12]] =:= [element(Place, Other) || Place <- [10, 12]].

%% The function of the sensor's frame; otherwise all functions with the name, or the one on the line.
wanted({_, Name, Whole, Line}, Definitions) ->
    Named = [Definition || #{name := Known} = Definition <- Definitions, atom_to_binary(Known) =:= Name],
    case [Definition || Definition <- Named, frame(Definition) =:= Whole] of
        [_] = One -> One;
        _ -> [Definition || #{line := Begins} = Definition <- Named, Line =:= none orelse Line =:= Begins]
    end.

frame(#{module := Module, name := Name, arity := Arity}) ->
    unicode:characters_to_binary([tierup_frames:module_name(Module), $., atom_to_binary(Name), $/, integer_to_list(Arity)]).

called(#{module := Module, name := Name, arity := Arity}) -> {Module, Name, Arity}.

calls(Definition) ->
    case erlang:trace_info(called(Definition), call_count) of
        {call_count, Calls} when is_integer(Calls) -> Calls;
        _ -> 0
    end.

%% The report of both rounds. If a function calls itself, calls from outside that follow each other closely may count as
%% one.
written(Wanted, Definitions, Seen) ->
    Called = [{Definition, Calls} || Definition <- Wanted, Calls <- [calls(Definition)], Calls > 0],
    Others = lists:usort([Name || #{name := Name} = Definition <- Definitions -- Wanted, calls(Definition) > 0]),
    case Called of
        [] ->
            #{others => Others};
        [{#{line := Line} = Definition, Calls}] ->
            Counts =
                case Seen of
                    #{itself := true, outer := Outer} -> #{calls => Outer, calls_itself => true};
                    _ -> #{calls => Calls, all_calls => Calls}
                end,
            maps:merge(Counts#{line => Line, others => Others}, types(Definition, Seen));
        _ ->
            #{others => Others, lines => lists:usort([Line || {#{line := Line}, _} <- Called])}
    end.

types(#{module := Module, exported := Exported, parameters := Names}, #{found := Found}) when Found =/= none ->
    #{given := Given, answers := Answers, entered := Entered, left := Left} = Found,
    Named = lists:zip(lists:enumerate(Names), Given),
    #{
        parameters => [#{name => name(Name, Place), shapes => Shapes} || {{Place, Name}, Shapes} <- Named],
        answers => Answers,
        exported => Exported,
        owner => owner(Module),
        entered => lists:reverse(Entered),
        left => lists:reverse(Left)
    };
types(_, _) ->
    #{}.

name(none, Place) -> <<"argument", (integer_to_binary(Place))/binary>>;
name(Name, _) -> Name.

%% The module's name in Elixir.
owner(Module) ->
    case atom_to_binary(Module) of
        <<"Elixir.", Name/binary>> -> Name;
        Name -> <<$:, Name/binary>>
    end.

%% Adds a call to the notes about a function.
seen(Told, At, none) ->
    seen(Told, At, #{given => none, answers => [], entered => [], left => [], words => tierup_shapes:new()});
seen({call, {_, _, Arity}, Arguments}, At, #{given := none} = Found) ->
    seen({call, Arity, Arguments}, At, Found#{given := lists:duplicate(Arity, [])});
seen({call, _, Arguments}, At, #{given := Given, entered := Entered, words := Words} = Found) ->
    {Shapes, More} = lists:mapfoldl(fun({Value, Known}, Before) -> tierup_shapes:add(Value, Known, Before) end, Words, lists:zip(Arguments, Given)),
    Found#{given := Shapes, entered := [#{at => milliseconds(At), words => [word(Value) || Value <- Arguments]} | Entered], words := More};
%% The package also splits such answers into error and value.
seen({answer, {error, _}}, _, Found) ->
    Found;
seen({answer, {ok, Value}}, At, Found) ->
    answered(Value, At, Found);
seen({answer, Value}, At, Found) ->
    answered(Value, At, Found);
seen(raised, _, Found) ->
    Found.

answered(Value, At, #{answers := Answers, left := Left, words := Words} = Found) ->
    {Shapes, More} = tierup_shapes:add(Value, Answers, Words),
    Hash = if is_binary(Value) -> hash(Value); true -> none end,
    Found#{answers := Shapes, left := [#{at => milliseconds(At), sha256 => Hash} | Left], words := More}.

%% A hash of a value that may come from a request, so that tierup can tell whether it does.
word(Value) when is_binary(Value) -> hash([?KEY, 0, Value]);
word(Value) when is_integer(Value) -> hash([?KEY, 0, integer_to_binary(Value)]);
word(_) -> none.

%% OTP may lack its `crypto`.
hash(Value) ->
    try binary:encode_hex(crypto:hash(sha256, Value)) of
        Hash -> string:lowercase(Hash)
    catch
        _:_ -> none
    end.

milliseconds({Mega, Seconds, Micro}) -> (Mega * 1000000 + Seconds) * 1000 + Micro / 1000.
