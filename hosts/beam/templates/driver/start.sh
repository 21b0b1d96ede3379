# Made by tierup from tierup.toml; changes here are lost at the next build.
#
# Runs the driver in the server's mix project, which has the server's own functions and their dependencies. A server in
# Erlang is not a mix project: its owner compiles it, and its modules are where rebar3 or erlc leaves them.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
server={{folder}}
if [ -f "$server/mix.exs" ]; then
    cd "$server" && exec mix run --no-start "$here/driver.exs"
fi
for folder in "$server"/ebin "$server"/_build/default/lib/*/ebin; do
    [ -d "$folder" ] && set -- "$@" -pa "$folder"
done
cd "$here/.." && mix compile && exec elixir -pa _build/dev/lib/{{application}}/ebin "$@" "$here/driver.exs"
