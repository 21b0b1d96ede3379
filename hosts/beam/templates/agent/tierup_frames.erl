%% Writes frames of stacks, such as `Shop.Cart.sum/2 (lib/shop/cart.ex:12)`.
-module(tierup_frames).

-export([stack/1, module_name/1, file/2, plain/1, is_own/1]).

%% A collapsed stack, from its root.
stack(Stack) -> lists:join(";", [frame(Frame) || Frame <- lists:reverse(Stack)]).

%% A text stands for a frame that is not a function.
frame(Text) when is_binary(Text) ->
    Text;
frame({Module, Function, Arity, Where}) ->
    Count = if is_list(Arity) -> length(Arity); true -> Arity end,
    Line = proplists:get_value(line, Where, 0),
    Name = [module_name(Module), ".", atom_to_binary(Function), "/", integer_to_binary(Count)],
    plain([Name, " (", file(Module, proplists:get_value(file, Where, "")), ":", integer_to_binary(Line), ")"]).

%% Whether a frame's code does not come with Erlang or Elixir.
is_own({Module, _, _, _}) ->
    case code:which(Module) of
        Beam when is_list(Beam), Beam =/= "" -> not is_library(filename:dirname(filename:dirname(Beam)));
        preloaded -> false;
        _ -> true
    end;
is_own(_) ->
    false.

module_name(Module) ->
    case atom_to_binary(Module) of
        <<"Elixir.", Name/binary>> -> Name;
        Name -> Name
    end.

%% `library:APPLICATION/FILE` for code that comes with Erlang or Elixir, or lies beside it; otherwise the source's path.
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

%% The text without characters that separate frames.
plain(Text) ->
    [if Char =:= $;; Char < 32 -> $_; true -> Char end || Char <- unicode:characters_to_list(Text)].
