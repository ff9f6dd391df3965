#!/usr/bin/env bash
# Makes the documentation site: scripts/site.sh [folder]
#
# The folder (default: target/site) gets README.md and docs as a book that can be searched, a page for each tool from the program's
# list, with the text of its manual, and in library/ the pages of the crates. It needs mdbook: one on the path, or
# one that cargo builds into target/mdbook. Every link between the pages is checked.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
target=$(cd "$target" && pwd)
folder=${1:-$target/site}
mdbook=$(command -v mdbook || true)
if [ -z "$mdbook" ]; then
    mdbook=$target/mdbook/bin/mdbook
    # As fast to build as it can be: it runs once. Searching is the only feature that the site has.
    [ -x "$mdbook" ] || cargo install --quiet --locked --debug --no-default-features --features search --version 0.5.3 \
        --root "$target/mdbook" --target-dir "$target/mdbook/build" mdbook
    rm -rf "$target/mdbook/build"
fi

stage=$(mktemp -d "$target/site.XXXXXX")
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/src" "$stage/src/samples"
cp -r README.md CHANGELOG.md CONTRIBUTING.md docs "$stage/src"
cp samples/README.md "$stage/src/samples"
cargo build --quiet --locked --bins
tools=$target/debug/kaldi-tables
"$tools" --print-args=false manuals --markdown "$stage/src/tools"
# The registry's list has a title without indentation before the tools of each task.
{
    echo "# Summary"
    echo
    echo "[kaldi-tables](README.md)"
    echo
    for page in docs/*.md docs/decisions/README.md; do
        echo "- [$(sed -n '1s/^# //p' "$page")]($page)"
    done
    for page in docs/decisions/[0-9]*.md; do
        echo "  - [$(sed -n '1s/^# //p' "$page")]($page)"
    done
    echo "- [Samples](samples/README.md)"
    echo "- [The program](tools/kaldi-tables.md)"
    "$tools" --print-args=false list | sed -e '/^ /!s/.*/- [&]()/' -e 's|^  \([^ ]*\) .*|  - [\1](tools/\1.md)|'
    echo "- [Contributing](CONTRIBUTING.md)"
    echo "- [Changes](CHANGELOG.md)"
} > "$stage/src/SUMMARY.md"
repository=$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
cat > "$stage/book.toml" <<END
[book]
title = "kaldi-tables"
language = "en"
[output.html]
git-repository-url = "$repository"
[output.html.fold]
enable = true
END
# Links to files that are no pages lead to the repository. A README.md is the first page of its folder.
python3 - "$stage/src" "$repository" <<'END'
import os, re, sys
root, repository = sys.argv[1:]
for folder, _, files in os.walk(root):
    for file in (name for name in files if name.endswith(".md")):
        path = os.path.join(folder, file)
        def resolved(match):
            link, anchor = match.group(1), match.group(2) or ""
            if "://" in link or not link:
                return match.group(0)
            place = os.path.normpath(os.path.join(folder, link))
            if os.path.isfile(place):
                return f"]({re.sub('README.md$', 'index.md', link)}{anchor})"
            return f"]({repository}/blob/main/{os.path.relpath(place, root)}{anchor})"
        text = open(path, encoding="utf-8").read()
        open(path, "w", encoding="utf-8").write(re.sub(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", resolved, text))
for folder, _, files in os.walk(root):
    if "README.md" in files:
        os.rename(os.path.join(folder, "README.md"), os.path.join(folder, "index.md"))
END
"$mdbook" build --dest-dir "$stage/book" "$stage"
[ ! -d "$target/doc" ] || cp -r "$target/doc" "$stage/book/library"
python3 - "$stage/book" <<'END'
import html.parser, os, sys, urllib.parse
root = sys.argv[1]
class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(open(path, encoding="utf-8").read())
    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)
pages = {}
for folder, _, files in os.walk(root):
    if os.path.relpath(folder, root).split(os.sep)[0] != "library":
        for file in files:
            if file.endswith(".html"):
                path = os.path.join(folder, file)
                pages[path] = Page(path)
broken = []
for path, page in pages.items():
    for link in page.links:
        url = urllib.parse.urlsplit(link)
        if url.scheme or url.netloc or os.path.basename(path) in ("print.html", "404.html", "toc.html"):
            continue
        place = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) if url.path else path
        found = pages.get(place)
        if not os.path.exists(place) or found and url.fragment and urllib.parse.unquote(url.fragment) not in found.names:
            broken.append(f"{os.path.relpath(path, root)}: {link}")
if len(pages) < 300 or broken:
    sys.exit("\n".join([f"{len(pages)} pages; links that lead nowhere:", *broken]))
print(f"{len(pages)} pages")
END
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
mv "$stage/book" "$folder"
echo "$folder/index.html"
