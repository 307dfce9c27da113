"""Strings of an author's files are text for the browser, wherever the site shows them; only Markdown may hold HTML."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

from tests.every_input import course as every_input
from tests.small import BUILD, run

HOSTILE = """</script></template>"'><img src=x onerror=alert()>"""
MORE = "\n文字是 [[toy.text]]，来历 [[toy.text:work]]。\n\n/// claim | toy.c.more\n更大。\n///\n"


class Markup(HTMLParser):
    """Collects what a browser would make of a page: elements with handlers, and addresses that run."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.running: list[str] = []
        self.shown = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note images (the course has none) and everything with a handler or a javascript: address."""
        given = dict(attrs)
        if tag == "img" or any(name.startswith("on") or f"{given[name]}".startswith("javascript:") for name in given):
            self.running.append(f"{tag} {given}")

    def handle_data(self, data: str) -> None:
        """Count the places where the hostile text is read as text."""
        self.shown += "onerror=alert()" in data


def hostile(folder: Path) -> Path:
    """Return the course with hostile strings wherever an input can hold one."""
    root = every_input(folder)
    quoted = json.dumps(HOSTILE)
    key = HOSTILE.replace("/", "~1")
    (root / "docs/data.json").write_text(json.dumps({"a": 2, "b": 3, HOSTILE: HOSTILE}))
    with (root / "docs/facts.py").open("a") as facts:
        facts.write(
            f"\n\n@fact('toy.text', title={HOSTILE!r}, unit={HOSTILE!r}, by={HOSTILE!r})\n"
            f"def text(t=data.at({'/' + key!r})):\n    return t\n\n\n"
            "from course_build.ledger import claim\n"
            f"claim('toy.c.more', 'toy.double > toy.sum', title={HOSTILE!r})\n"
        )
    for file, old, new in (
        ("experiments/configs/papers.json", '"On things"', quoted),
        ("experiments/configs/papers.json", '"Someone 2020"', quoted),
        ("experiments/configs/papers.json", '"arXiv:2000.00000"', quoted),
        ("docs/c4/03-norm/index.md", "title: 归一化", f"title: {quoted}"),
        ("mkdocs.yml", "plugins: [course]", "plugins: [search, course]"),
        ("docs/live/defaults.json", '"max": 9', f'"max": 9, "text": {quoted}'),
    ):
        before = (root / file).read_text()
        assert old in before
        (root / file).write_text(before.replace(old, new))
    twin = root / "docs/live/knob.py"
    twin.write_text(twin.read_text().replace('{"max":', '{"text": DEFAULTS.read("/text", str), "max":'))
    page = root / "docs/index.md"
    page.write_text(page.read_text() + MORE)
    return root


def test_hostile_strings_are_text_for_the_browser(tmp_path: Path) -> None:
    """Quotes, a closing script and an image with a handler: in values, keys, titles, papers, front matter, settings."""
    root = hostile(tmp_path)
    code, said = run(root, *BUILD)
    assert code == 0, said
    pages = list((root / "site").rglob("*.html"))
    shown = 0
    for path in pages:
        markup = Markup()
        markup.feed(path.read_text())
        assert markup.running == [], path
        shown += markup.shown
    assert shown > 10
    index = json.loads((root / "site/search/search_index.json").read_text())
    assert "&lt;img src=x onerror" in json.dumps(index)
    assert "<img" not in json.dumps(index)
