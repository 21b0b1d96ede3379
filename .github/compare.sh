#!/usr/bin/env bash
# What action.yml runs: compares the checkout with its base, and comments once on pull request NUMBER. Ends as `tierup ci` does.
set -fu
: "${PROJECT:=.}" "${ARGUMENTS:=}" "${BASE:=}" "${NUMBER:=}" "${GITHUB_REPOSITORY:=}" "${GITHUB_STEP_SUMMARY:=/dev/null}"
# The pull request's own code is run below: it does not get the token.
token=${GH_TOKEN:-}
unset GH_TOKEN GITHUB_TOKEN
case ${GITHUB_REF:-} in
  # A merge commit that GitHub made: its first parent is newer than the event's base, if the base went on meanwhile.
  refs/pull/*/merge) BASE=$(git cat-file -p HEAD | sed -n 's/^parent //p' | head -n 1) ;;
esac
if [ -z "$BASE" ]; then
  echo "::error::there is no base to compare with: this action is for pull requests"
  exit 2
fi
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --no-tags --depth 1 origin "$BASE" || exit 3
comment=$(mktemp)
echo "<!-- tierup ci $(printf '%s %s' "$PROJECT" "$ARGUMENTS" | cksum | tr ' ' '-') -->" > "$comment"
code=0
# shellcheck disable=SC2086 # one word each, as on a command line
tierup ci "$PROJECT" --base "$BASE" $ARGUMENTS >> "$comment" || code=$?
if [ "$(wc -l < "$comment")" -eq 1 ]; then
  echo "### tierup: no verdict: exit code $code, and why is in the run's log" >> "$comment"
fi
tail -n +2 "$comment" >> "$GITHUB_STEP_SUMMARY"
said() {
  comments="repos/$GITHUB_REPOSITORY/issues"
  # Anybody may write a comment that begins like ours.
  ours='.[] | select(.user.type == "Bot" and (.body | startswith(env.MARK))) | .id'
  before=$(MARK=$(head -n 1 "$comment") gh api --paginate "$comments/$NUMBER/comments" --jq "$ours") || return
  case $before in
    "") gh api --silent "$comments/$NUMBER/comments" --field "body=@$comment" ;;
    *) gh api --silent --method PATCH "$comments/comments/${before%%$'\n'*}" --field "body=@$comment" ;;
  esac
}
if [ -n "$NUMBER" ]; then
  # A pull request from a fork may not comment; the summary has it all the same.
  GH_TOKEN=$token said || echo "::notice::tierup may not comment here: the comparison is in this run's summary"
fi
rm -f "$comment"
exit "$code"
