"""Makes and checks the book; `.ci/book` calls it.

check           checks the sources: links of all pages of the repository, and that each command or Rust
                example of the book is run by a test or marked as not run
chapters DIR    writes the book for mdBook: with included pages, generated chapters, and links that work there
links DIR       checks the links of the built book
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

BOOK = Path("book")
SOURCE = BOOK / "src"
# Its text may continue on the next line.
LINK = re.compile(r"(!?)\[((?:[^\[\]\n]|\n(?!\n)|\[[^\]]*\])*)\]\(([^()\s]+)\)")
INCLUDE = re.compile(r"^\{\{#include ([^}#]+)(?:#([^}]+))?\}\}$", re.MULTILINE)
GENERATED = re.compile(r"^\{\{#generated ([a-z]+)\}\}$", re.MULTILINE)
TESTED = re.compile(r"<!-- tested by ([^>]+) -->")
FENCE = re.compile(r"^( *)```(.*)$")
# Of these languages a reader runs or compiles what an example shows.
RUN = {"sh", "console", "rust"}

errors = []


def fail(place, message):
    errors.append(f"{place}: {message}")


def relative(path, start):
    return Path(os.path.relpath(path, start))


def normal(path):
    return Path(os.path.normpath(path))


def blocks(text):
    """The code blocks of a page and the text between them: whether it is code, the number of its first line, and its lines."""
    inside, first, lines = False, 1, []
    for number, line in enumerate(text.splitlines(), start=1):
        is_fence = FENCE.match(line)
        if is_fence and not inside:
            yield inside, first, lines
            inside, first, lines = True, number, []
        lines.append(line)
        if is_fence and len(lines) > 1 and inside:
            yield inside, first, lines
            inside, first, lines = False, number + 1, []
    yield inside, first, lines


def outside_of_code(text):
    """The lines that are not in a code block, with their numbers."""
    for inside, first, lines in blocks(text):
        if not inside:
            yield from enumerate(lines, start=first)


def slug(heading):
    heading = re.sub(r"\]\([^)]*\)", "", heading)
    kept = "".join(c for c in heading.strip().lower() if c.isalnum() or c in "_- ")
    return kept.replace(" ", "-")


def anchors(path):
    found = set()
    for _, line in outside_of_code(path.read_text(encoding="utf-8")):
        if match := re.match(r"#+ (.*)", line):
            name = slug(match[1])
            number = 0
            while name + (f"-{number}" if number else "") in found:
                number += 1
            found.add(name + (f"-{number}" if number else ""))
    return found


def section(path, anchor):
    """The section below a heading, without the heading."""
    kept, level, inside = [], 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            inside = not inside
        match = None if inside else re.match(r"(#+) (.*)", line)
        if match and level and len(match[1]) <= level:
            break
        if level:
            kept.append(line)
        elif match and slug(match[2]) == anchor:
            level = len(match[1])
    return "\n".join(kept).strip() + "\n"


def pages():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], check=True, capture_output=True, text=True)
    return [Path(line) for line in listed.stdout.splitlines() if Path(line).exists()]


def chapters():
    """The chapters that SUMMARY.md lists, with the files that each of them includes whole."""
    summary = (SOURCE / "SUMMARY.md").read_text(encoding="utf-8")
    for match in re.finditer(r"\]\(([^)]+\.md)\)", summary):
        chapter = SOURCE / match[1]
        if not chapter.exists():
            fail(SOURCE / "SUMMARY.md", f"there is no {chapter}")
            continue
        text = chapter.read_text(encoding="utf-8")
        included = [(normal(chapter.parent / path), anchor) for path, anchor in INCLUDE.findall(text)]
        for path, anchor in included:
            if not path.exists():
                fail(chapter, f"includes {path}, which does not exist")
            elif anchor and anchor not in anchors(path):
                fail(chapter, f"includes #{anchor} of {path}, which has no such heading")
        yield chapter, included


def check_links():
    for page in pages():
        for inside, first, lines in blocks(page.read_text(encoding="utf-8")):
            text = "" if inside else re.sub(r"`[^`\n]*`(?!\])", "", "\n".join(lines))
            for match in LINK.finditer(text):
                target, number = match[3], first + text.count("\n", 0, match.start())
                if re.match(r"[a-z]+:|<", target) or "::" in target or target.endswith("!"):
                    continue
                path, _, anchor = target.partition("#")
                file = normal(page.parent / unquote(path)) if path else page
                if not file.exists():
                    fail(f"{page}:{number}", f"the link leads to {file}, which does not exist")
                elif anchor and file.suffix == ".md" and anchor not in anchors(file) | included_anchors(file):
                    fail(f"{page}:{number}", f"{file} has no heading #{anchor}")


def included_anchors(file):
    text = file.read_text(encoding="utf-8")
    found = set()
    for path, anchor in INCLUDE.findall(text):
        path = normal(file.parent / path)
        if path.exists() and not anchor:
            found |= anchors(path)
    return found


def check_examples():
    """An example of a chapter is run by the tests that the page names, or is marked as not run."""
    listed = set()
    for chapter, included in chapters():
        listed.add(chapter)
        check_examples_of(chapter, chapter.read_text(encoding="utf-8"))
        for path, anchor in included:
            if path.exists():
                text = path.read_text(encoding="utf-8")
                tests = "".join(f"<!-- tested by {names} -->\n" for names in TESTED.findall(text))
                check_examples_of(path, tests + section(path, anchor) if anchor else text)
    for file in sorted(SOURCE.rglob("*.md")):
        if file not in listed and file.name != "SUMMARY.md":
            fail(file, "is not listed in SUMMARY.md")


def check_examples_of(page, text):
    tests = [Path(name) for names in TESTED.findall(text) for name in names.split()]
    for test in tests:
        if not test.exists() or page.name not in test.read_text(encoding="utf-8"):
            fail(page, f"is said to be tested by {test}, which does not exist or does not name {page.name}")
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        match = FENCE.match(line)
        if match and not inside:
            flags = re.split(r"[, ]+", match[2])
            if flags[0] in RUN and not tests and not {"not-run", "ignore"} & set(flags):
                fail(f"{page}:{number}", "no test runs this example: name the test in `<!-- tested by FILE -->`, or mark the example as `not-run`")
        if match:
            inside = not inside


def write_chapters(output):
    repository = tomllib.loads(Path("Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["repository"]
    # Where a page of the repository is in the book.
    places = {}
    listed = list(chapters())
    for chapter, included in listed:
        places[chapter] = chapter
        places |= {path: chapter for path, anchor in included if not anchor}

    def relink(text, origin, chapter):
        def replaced(match):
            mark, label, target = match.groups()
            if mark or re.match(r"[a-z]+:|#|<", target):
                return match[0]
            path, _, anchor = target.partition("#")
            file = normal(origin.parent / unquote(path))
            if file in places:
                there = relative(places[file], chapter.parent)
                return f"[{label}]({there}{'#' + anchor if anchor else ''})"
            if repository:
                return f"[{label}]({repository}/blob/main/{file}{'#' + anchor if anchor else ''})"
            return label if "`" in label or label == str(file) else f"{label} (`{file}`)"

        parts = []
        for inside, _, lines in blocks(text):
            part = "\n".join(lines)
            if lines:
                parts.append(part if inside else LINK.sub(replaced, part))
        return "\n".join(parts) + "\n"

    declared = output / "declared"
    for chapter, _ in listed:
        text = relink(chapter.read_text(encoding="utf-8"), chapter, chapter)

        def included(match):
            path = normal(chapter.parent / match[1])
            content = section(path, match[2]) if match[2] else path.read_text(encoding="utf-8")
            return relink(content, path, chapter).strip()

        text = INCLUDE.sub(included, text)
        text = GENERATED.sub(lambda match: GENERATORS[match[1]](declared), text)
        target = output / relative(chapter, BOOK)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    (output / "src/SUMMARY.md").write_text((SOURCE / "SUMMARY.md").read_text(encoding="utf-8"), encoding="utf-8")
    for file in [BOOK / "book.toml", BOOK / "style.css", *SOURCE.rglob("*.png")]:
        (output / relative(file, BOOK)).write_bytes(file.read_bytes())


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def table(heads, rows):
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def rules(declared):
    text = (declared / "rules.md").read_text(encoding="utf-8")
    # The page has its own heading.
    return text.split("\n", 1)[1].strip() if text.startswith("# ") else text.strip()


def settings(declared):
    rows = []
    for block in re.split(r"\n(?= {2,6}(?:-\w, )?--)", (declared / "settings.txt").read_text(encoding="utf-8"))[1:]:
        flag = re.search(r"--[a-z-]+", block)[0]
        if flag in ("--help", "--version"):
            continue
        variable = "PETSTORE_" + flag.removeprefix("--").replace("-", "_").upper()
        if f"[env: {variable}]" not in block:
            fail("settings", f"the variable of {flag} is not {variable}, as the page says")
        values = re.search(r"^ *\[default: ([^\]]*)\]$", block, re.MULTILINE)
        body = block.split("\n", 1)[1]
        body = re.sub(r"^ *\[(env|default|possible values): [^\]]*\]$", "", body, flags=re.MULTILINE)
        rows.append((f"`{flag}`", f"`{cell(values[1])}`" if values else "", cell(body)))
    if len(rows) < 20:
        fail("settings", "the help of `petstore-server serve` is not understood")
    return table(("flag", "default", "effect"), rows)


def metrics(declared):
    text = (declared / "metrics.txt").read_text(encoding="utf-8")
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    rows = []
    for name, description in re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE):
        sample = re.search(rf"^{name}(?:_bucket)?\{{(.*?)\}} ", text, re.MULTILINE)
        labels = [label for label in re.findall(r"(\w+)=", sample[1]) if label != "le"] if sample else []
        rows.append((f"`{name}`", kinds[name], ", ".join(f"`{label}`" for label in labels), cell(description)))
    if len(rows) < 30:
        fail("metrics", "the service has few metrics")
    return table(("metric", "type", "labels", "meaning"), sorted(rows))


def alerts(_):
    text = Path("examples/deploy/prometheus-rules.yml").read_text(encoding="utf-8")
    rows = []
    for block in re.split(r"^ *- alert: ", text, flags=re.MULTILINE)[1:]:
        summary = re.search(r"^ *summary: (.*)$", block, re.MULTILINE)[1].strip("\"'")
        delay = re.search(r"^ *for: (.*)$", block, re.MULTILINE)
        # Of the template, the two texts of a condition, and the names of the labels.
        summary = re.sub(r"\{\{ with .*? \}\}\{\{ \. \}\}(.*)\{\{ else \}\}(.*)\{\{ end \}\}", r"a server\1; or \2", summary)
        summary = re.sub(r"\{\{ \$labels\.(\w+) \}\}", r"*\1*", summary)
        rows.append((f"`{block.split()[0]}`", delay[1] if delay else "at once", cell(summary)))
    if len(rows) < 10:
        fail("alerts", "the alert rules are not understood")
    return table(("alert", "after", "meaning"), rows)


def configuration(declared):
    schema = json.loads((declared / "configuration.json").read_text(encoding="utf-8"))
    definitions = schema.get("definitions") or schema.get("$defs") or {}
    rows = []

    def resolved(node):
        while True:
            if "$ref" in node:
                node = {**definitions[node["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in node.items() if k != "$ref"}}
            elif len(own := [part for part in node.get("anyOf", node.get("allOf", [])) if part.get("type") != "null"]) == 1:
                node = {**own[0], **{k: v for k, v in node.items() if k not in ("anyOf", "allOf")}}
            else:
                return node

    def walk(node, prefix):
        for key, member in node.get("properties", {}).items():
            described = member.get("description")
            member = resolved(member)
            rows.append((f"`{prefix}{key}`", cell(described or member.get("description", ""))))
            if member.get("properties"):
                walk(member, f"{prefix}{key}.")
            items = resolved(member["items"]) if isinstance(member.get("items"), dict) else {}
            if items.get("properties"):
                walk(items, f"{prefix}{key}.")

    walk(resolved(schema), "")
    if len(rows) < 10:
        fail("configuration", "the schema of openapi-dropshot.toml is not understood")
    return table(("key", "meaning"), rows)


GENERATORS = {"rules": rules, "settings": settings, "metrics": metrics, "alerts": alerts, "configuration": configuration}


class Page(HTMLParser):
    """The ids and the links of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids = set()
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append(attributes[name])


def check_built(folder):
    read = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    count = 0
    for path, page in read.items():
        # The page of errors is served at any address.
        if path.name in ("404.html", "toc.html"):
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = normal(path.parent / unquote(parts.path)) if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                fail(relative(path, folder), f"the link {link} leads to no file")
            elif parts.fragment and target in read and unquote(parts.fragment) not in read[target].ids:
                fail(relative(path, folder), f"the link {link} leads to no heading")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"the book has {len(read)} pages, {count} links inside of it, and {size / 1e6:.1f} MB")


def main():
    match sys.argv[1:]:
        case ["check"]:
            check_links()
            check_examples()
        case ["chapters", output]:
            write_chapters(Path(output))
        case ["links", folder]:
            check_built(Path(folder))
        case _:
            sys.exit(__doc__)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    if errors:
        sys.exit(f"{len(errors)} errors in the book")


main()
