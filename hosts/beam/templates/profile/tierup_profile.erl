%% The sensor of `tierup profile`: the BEAM starts it before the server's own code. It samples while tierup asks for it
%% (`sample`), or writes down where the sources of modules are, for a sampler that sees only names (`name_modules`).
%%
%% Other modules look at stacks (`tierup_stacks`), read the BEAM's own account of its time (`tierup_time`), write frames
%% (`tierup_frames`), and obey tierup (`tierup_agent`).
-module(tierup_profile).

-behaviour(tierup_agent).
-export([sample/0, name_modules/0]).
-export([start/1, pause/1, look/1, found/1, ended/1]).

-define(SOCKET, {{socket}}).
%% The beginning of the path of the file with the modules.
-define(MODULES, {{modules}}).
%% How often to check for newly loaded modules, in milliseconds.
-define(LOOK, 500).
%% The shortest pause between two looks, in microseconds, and how many times longer than the last look it must be.
-define(INTERVAL, {{microseconds}}).
-define(REST, 20).
%% The most frames of a stack, from its leaf. The BEAM's default is 8.
-define(DEPTH, 128).

sample() -> tierup_agent:beside(fun() -> tierup_agent:serve(?SOCKET, ?MODULE, tierup_time:threads()) end).

name_modules() -> tierup_agent:beside(fun() -> name_modules(?MODULES ++ os:getpid(), 0) end).

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

%% `Beams` are the threads that existed before the server's code ran.
start(Beams) ->
    Own = erlang:system_flag(backtrace_depth, ?DEPTH),
    #{own => Own, time => tierup_time:start(Beams), stacks => tierup_stacks:new(), pause => ?INTERVAL}.

pause(#{pause := Pause}) -> (Pause + 999) div 1000.

look(#{stacks := Stacks} = State) ->
    {Cost, More} = tierup_stacks:look(Stacks),
    State#{stacks := More, pause := max(?INTERVAL, ?REST * Cost)}.

found(#{time := Time, stacks := Stacks}) ->
    #{cpu := Used} = Spent = tierup_time:since(Time),
    {integer_to_list(Used), tierup_stacks:lines(Stacks, Spent, ?INTERVAL)}.

ended(#{own := Own, time := Time}) ->
    tierup_time:stop(Time),
    tierup_stacks:stop(),
    erlang:system_flag(backtrace_depth, Own).
