%% The server's own function: tier 0.
-module(own).
-export([echo_text/1]).

echo_text(_) -> {ok, <<"own">>}.
