%% The functions that a source file defines. In: its path. Out: for each function its module, name, arity, first line,
%% the names of its parameters, and whether other modules can call it. The file is read, but nothing in it runs.
-module(tierup_definitions).

-export([of_file/1]).

%% A file that cannot be read defines nothing.
of_file(Path) ->
    try
        case filename:extension(Path) of
            <<".erl">> -> erlang(Path);
            _ -> elixir(Path)
        end
    catch
        _:_ -> []
    end.

elixir(Path) ->
    {ok, Text} = file:read_file(Path),
    %% Otherwise Elixir would write warnings to the server's output.
    {ok, Tree} = 'Elixir.Code':string_to_quoted(Text, [{emit_warnings, false}, {warnings, false}]),
    united(defined(Tree, none)).

%% The definitions in the order of the source, one for each clause.
defined({defmodule, _, [Name, [{_, Body} | _]]}, Within) ->
    defined(Body, module(Name, Within));
defined({Kind, Where, [Head | _]}, Module) when Kind =:= def; Kind =:= defp ->
    case head(Head) of
        {Name, _, Arguments} when is_atom(Name), Module =/= none ->
            Given = if is_list(Arguments) -> Arguments; true -> [] end,
            Optional = length([default || {'\\\\', _, _} <- Given]),
            [
                #{
                    module => Module,
                    name => Name,
                    arity => length(Given),
                    least => length(Given) - Optional,
                    line => proplists:get_value(line, Where, 0),
                    exported => Kind =:= def,
                    parameters => [elixir_name(Argument) || Argument <- Given]
                }
            ];
        _ ->
            []
    end;
defined({_, _, Parts}, Module) when is_list(Parts) ->
    defined(Parts, Module);
defined({_, Part}, Module) ->
    defined(Part, Module);
defined(Parts, Module) when is_list(Parts) ->
    lists:flatmap(fun(Part) -> defined(Part, Module) end, Parts);
defined(_, _) ->
    [].

head({'when', _, [Head | _]}) -> Head;
head(Head) -> Head.

module({'__aliases__', _, Parts}, Within) ->
    %% Here, `__MODULE__` is not an atom.
    'Elixir.Module':concat([Part || Part <- [Within | Parts], is_atom(Part), Part =/= none]);
module(Name, _) when is_atom(Name) ->
    Name;
module(_, _) ->
    none.

elixir_name({'\\\\', _, [Argument, _]}) -> elixir_name(Argument);
elixir_name({'=', _, [One, Other]}) -> either(elixir_name(One), elixir_name(Other));
elixir_name({'%', _, [{'__aliases__', _, Parts}, _]}) -> 'Elixir.Macro':underscore(atom_to_binary(lists:last(Parts)));
elixir_name([{'|', _, [_, Rest]}]) -> elixir_name(Rest);
elixir_name({Name, _, Context}) when is_atom(Name), is_atom(Context) -> atom_to_binary(Name);
elixir_name(_) -> none.

erlang(Path) ->
    File = unicode:characters_to_list(Path),
    Folder = filename:dirname(File),
    {ok, Forms} = epp:parse_file(File, [{includes, [Folder, filename:join(filename:dirname(Folder), "include")]}]),
    [Module] = [Name || {attribute, _, module, Name} <- Forms],
    Exports = lists:append([Names || {attribute, _, export, Names} <- Forms]),
    All = lists:any(fun exports_all/1, Forms),
    united([
        #{
            module => Module,
            name => Name,
            arity => Arity,
            least => Arity,
            line => erl_anno:line(Where),
            exported => All orelse lists:member({Name, Arity}, Exports),
            parameters => [erlang_name(Argument) || Argument <- Arguments]
        }
     || {function, _, Name, Arity, Clauses} <- Forms, {clause, Where, Arguments, _, _} <- Clauses
    ]).

exports_all({attribute, _, compile, export_all}) -> true;
exports_all({attribute, _, compile, Options}) when is_list(Options) -> lists:member(export_all, Options);
exports_all(_) -> false.

erlang_name({var, _, Name}) -> atom_to_binary(Name);
erlang_name({cons, _, _, Rest}) -> erlang_name(Rest);
erlang_name({match, _, One, Other}) -> either(erlang_name(One), erlang_name(Other));
erlang_name(_) -> none.

%% Joins the clauses of a function. A parameter gets its name from the first clause that names it.
united(Clauses) ->
    Keys = lists:uniq([key(Clause) || Clause <- Clauses]),
    [lists:foldl(fun joined/2, hd(Same), tl(Same)) || Key <- Keys, Same <- [[Clause || Clause <- Clauses, key(Clause) =:= Key]]].

key(#{module := Module, name := Name, arity := Arity}) -> {Module, Name, Arity}.

joined(#{parameters := More, least := Least}, #{parameters := Known, least := Before} = First) ->
    First#{parameters := lists:zipwith(fun either/2, Known, More), least := min(Least, Before)}.

%% A parameter that begins with `_` is unused in its clause.
either(none, Other) -> Other;
either(<<"_", _/binary>> = One, none) -> One;
either(<<"_", _/binary>>, Other) -> Other;
either(One, _) -> One.
