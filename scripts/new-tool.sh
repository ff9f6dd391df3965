#!/usr/bin/env bash
# Makes a new tool out of one of the same task: its file and its tests under the new name, and the rows of all lists that name tools.
#
#   scripts/new-tool.sh <task> <name> [<like>]
#   scripts/new-tool.sh vectors vector-norms vector-scale
#
# <task> is a folder of src/bin, <like> the tool that is copied: without it, the first one of the task that reads a table and writes one.
# The copy passes `KALDI_TABLES_WRITE=1 scripts/check.sh --quick`, which writes docs/tools.md. CONTRIBUTING.md says what is left to do.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

fail() {
    echo "new-tool.sh: $*" >&2
    exit 2
}

[ $# -eq 2 ] || [ $# -eq 3 ] || fail "expected a task, a name, and perhaps a tool to start from"
task=$1 name=$2
list=src/bin/$task/lib.rs
pieces=tests/tools/jobs/every_row.rs
[ -f "$list" ] || fail "expected a folder of src/bin, got $task"
[[ $name =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]] || fail "expected a name of small letters, digits and hyphens, got $name"
! compgen -G "src/bin/*/$name.rs" > /dev/null || fail "there is a tool $name"

tests_of() { echo "tests/tools/$task/${1//-/_}.rs"; }

# The first tool of the task that works on entries, and has a command for the test of pieces, and tests.
first() {
    local file tool
    for file in src/bin/"$task"/*.rs; do
        tool=$(basename "$file" .rs)
        ! grep -q '\.by_entry(' "$file" || ! grep -q "^    \"$tool " "$pieces" || [ ! -f "$(tests_of "$tool")" ] || {
            echo "$tool"
            return
        }
    done
}

like=${3:-$(first)}
[ -n "$like" ] || fail "no tool of $task reads a table and writes one: name the tool to start from"
[ -f "src/bin/$task/$like.rs" ] || fail "expected a tool of $task to start from, got $like"
[ -f "$(tests_of "$like")" ] || fail "$like has no file of tests of its own: start from another tool"

# A file with the new name, where the old one is a word of its own; twice, as words may share the letter between them.
renamed() {
    local edge='[^a-z0-9_-]' swap
    swap="s/(^|$edge)$like($edge|\$)/\\1$name\\2/g; s/(^|$edge)${like//-/_}($edge|\$)/\\1${name//-/_}\\2/g"
    sed -E "$swap; $swap" "$1"
}

# Inserts a row into the list behind the line `begin` of a file, before the first row with a greater name, or after the last one. Attributes
# belong to the row after them.
insert() {
    local file=$1 begin=$2 rows=$3 row=$4 made
    made=$(mktemp)
    awk -v begin="$begin" -v rows="$rows" -v new="$row" '
        function name(text) { sub(/^[^a-z0-9]*/, "", text); sub(/[^a-z0-9_-].*/, "", text); gsub(/_/, "-", text); return text }
        inside && /^ *#\[/ { held = held $0 "\n"; next }
        inside && !done && ($0 ~ rows ? name($0) > name(new) : seen) { print new; done = 1 }
        { printf "%s", held; held = ""; print }
        inside && $0 ~ rows { seen = 1 }
        index($0, begin) == 1 { inside = 1 }
    ' "$file" > "$made"
    grep -qxF "$row" "$made" || fail "$file has no list behind $begin"
    cat "$made" > "$file"
    rm "$made"
}

what=$(sed -nE "s/^ *[a-z0-9_]+ \"$like\.rs\" [A-Za-z]+ \"(.*)\";\$/\1/p" "$list")
# What it has of Kaldi is not that of the new one.
renamed "src/bin/$task/$like.rs" | awk '
    /^\/\/! Matches Kaldi/ { print "//! Kaldi has no such program."; skips = 1; next }
    skips && /^\/\/! ./ { next }
    { skips = 0; print }
' > "src/bin/$task/$name.rs"
renamed "$(tests_of "$like")" > "$(tests_of "$name")"
insert "$list" "    $task \"" '^    [a-z0-9_]+ "' "    ${name//-/_} \"$name.rs\" Own \"$what\";"
sed -i -E "s/^(    \")$like([ \"].*)\$/&\n\1$name\2/" "$pieces"
sed -i -E "0,/^(pub )?mod /s//mod ${name//-/_};\n&/" "tests/tools/$task/mod.rs"
sed -i "0,/^- /s//- \`$name\` $what.\n&/" CHANGELOG.md
# Its order of modules.
rustfmt --edition 2024 "tests/tools/$task/mod.rs" "src/bin/$task/$name.rs"
echo "made src/bin/$task/$name.rs and $(tests_of "$name") like those of $like, with rows in $list, $pieces and CHANGELOG.md"
