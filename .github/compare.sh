#!/usr/bin/env bash
# What action.yml runs: compares the checkout with BASE, and comments once on pull request NUMBER. Ends as `tierup ci` does.
set -u
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --no-tags --depth 1 origin "$BASE" || exit 3
comment=$(mktemp)
mark="<!-- tierup ci $PROJECT -->"
echo "$mark" > "$comment"
code=0
# shellcheck disable=SC2086 # one word each, as on a command line
tierup ci "$PROJECT" --base "$BASE" $ARGUMENTS >> "$comment" || code=$?
tail -n +2 "$comment" >> "$GITHUB_STEP_SUMMARY"
# A pull request from a fork may not comment; the summary has it all the same.
said() {
  comments="repos/$GITHUB_REPOSITORY/issues"
  before=$(MARK=$mark gh api --paginate "$comments/$NUMBER/comments" --jq '.[] | select(.body | startswith(env.MARK)) | .id') || return
  case $before in
    "") gh api --silent "$comments/$NUMBER/comments" --field "body=@$comment" ;;
    *) gh api --silent --method PATCH "$comments/comments/${before%%$'\n'*}" --field "body=@$comment" ;;
  esac
}
if [ -n "$NUMBER" ] && [ "$(wc -l < "$comment")" -gt 1 ]; then
  said || echo "::notice::tierup may not comment here: the comparison is in this run's summary"
fi
rm -f "$comment"
exit "$code"
