#!/bin/sh
# Clones a pnpm workspace in TypeScript and a uv project, as a colleague would, and builds nothing: both install from the lock file,
# compile and run at tier 0, and the folder that pnpm deploys has no link that leads out. In: `tierup`; `pnpm`, `uv` and `git` on PATH.
set -eu
tierup=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
printf '0 a?\nwords: your own code runs, at tier 0, as no variant is built here: run `tierup build`\n' >"$world/expected"

# clone NAME COMMAND: commits the package of the project NAME, whose server depends on it after COMMAND, and clones the repository.
clone() {
	cp -r "$here/$1" "$here/hot" "$world"
	mv "$world/hot" "$world/$1"
	cd "$world/$1"
	"$tierup" stub
	sh -c "$2"
	git init --quiet
	git add --all
	git -c user.name=a -c user.email=a@a commit --quiet --message all
	git clone --quiet . "$world/clone-$1"
	cd "$world/clone-$1"
}

# Fails unless a command answers at tier 0 and says so.
at_tier_0() {
	"$@" >"$world/said" 2>&1 || { cat "$world/said" >&2; exit 1; }
	grep -E '^(0 a|words: )' "$world/said" | sort | diff "$world/expected" -
}

clone pnpm 'cd api && pnpm add file:../tierup/words'
pnpm install --frozen-lockfile
pnpm -r build
at_tier_0 pnpm test
pnpm --filter api --prod deploy "$world/deployed"
rm -rf "$world/pnpm" "$world/clone-pnpm"
cd "$world/deployed"
find . -type l -exec realpath -m {} + | { ! grep -v "^$world/deployed/"; }
at_tier_0 node dist/server.js

clone uv "uv add --editable './tierup/words[wasm]'"
uv sync --frozen
at_tier_0 uv run --frozen server.py
