"""Requests that a built site would send elsewhere, and those that only look like it."""

from pathlib import Path

import pytest

from course_build.site.offline import check
from tests.growth import is_linear


def said(site: Path, name: str, text: str) -> list[str]:
    """Return the problems of a site of one file."""
    file = site / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return [str(problem) for problem in check(site)]


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/x.js"></script>',
        "<script src=//cdn.example/x.js></script>",
        '<script src = " HTTPS://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="https://fonts.example/css">',
        '<link href="//fonts.example" rel="preconnect">',
        '<link rel="dns-prefetch" href="https://fonts.example">',
        '<link rel="shortcut icon" href="https://a.example/i.png">',
        '<img alt="a > b" src="https://a.example/i.png">',
        '<img srcset="i.png 1x, https://a.example/i.png 2x">',
        '<video poster="https://a.example/i.png"></video>',
        '<object data="https://a.example/x"></object>',
        '<iframe src="https://a.example/"></iframe>',
        '<svg><use href="https://a.example/i.svg#a"/></svg>',
        '<svg><image xlink:href="https://a.example/i.png"/></svg>',
        '<meta http-equiv="refresh" content="0; url=https://a.example/">',
        '<base href="https://a.example/">',
        '<a href="x.html" ping="https://a.example/">x</a>',
        '<p style="background: url(https://a.example/i.png)">x</p>',
        "<style>@import 'https://a.example/x.css';</style>",
        "<style>p { background: url(//a.example/i.png) }</style>",
        "<script>import('https://a.example/x.js')</script>",
        '<script>fetch("https://a.example/x.json")</script>',
        '<script>s.src = "https://a.example/x.js"</script>',
        '<pre class="mermaid"><code>graph</code></pre>',
    ],
)
def test_what_a_page_loads_from_elsewhere_is_a_problem(tmp_path: Path, html: str) -> None:
    """Every way in which a browser asks another machine by itself, at its line."""
    (problem,) = said(tmp_path, "a/index.html", f"<!doctype html>\n<body>\n{html}\n</body>")
    assert problem.startswith("a/index.html:3: ")


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://a.example/">a link</a>',
        '<link rel="canonical" href="https://a.example/">',
        '<script src="../assets/x.js"></script>',
        '<img src="data:image/png;base64,AAAA//AAAA">',
        '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
        '<code>&lt;script src="https://a.example/x.js"&gt;</code>',
        "<code>url(https://a.example/i.png)</code>",
        "<code>fetch('https://a.example/')</code>",
        '<meta name="description" content="see https://a.example/">',
        '<div data-figure="{&quot;a&quot;:&quot;https://a.example&quot;}"></div>',
        "<script>// see https://a.example/\nvar a = 'https://a.example/'</script>",
        '<input type="text" value="https://a.example/">',
    ],
)
def test_links_and_text_are_free(tmp_path: Path, html: str) -> None:
    """What a reader follows, or only reads, is no request."""
    assert said(tmp_path, "index.html", html) == []


@pytest.mark.parametrize(
    ("name", "text", "bad"),
    [
        ("assets/course/course.css", "@font-face { src: url('https://a.example/f.woff2') }", True),
        ("assets/course/course.css", "@font-face { src: url(math.woff2) } /* https://a.example */", False),
        ("assets/course/course.js", "new Worker('https://a.example/w.js')", True),
        ("assets/course/course.js", "request.open('GET', 'https://a.example/')", True),
        ("assets/course/course.js", "// https://a.example\nfetch('x.json')", False),
        ("assets/mark.svg", '<svg><image href="https://a.example/i.png"/></svg>', True),
        ("assets/javascripts/bundle.js", "fetch('https://api.example')", False),
    ],
)
def test_styles_scripts_and_pictures_of_ours_are_read(tmp_path: Path, name: str, text: str, bad: bool) -> None:
    """Ours are checked; the theme's bundle is a package, checked by its version."""
    assert bool(said(tmp_path, name, text)) is bad


def test_the_time_to_check_a_page_is_linear(tmp_path: Path) -> None:
    """A ledger with eight times as many links takes about eight times as long."""
    row = '<tr><td><a href="https://a.example/x">x</a></td><td>' + "文字 a b c " * 20 + "</td></tr>\n"

    def work(rows: int) -> None:
        (tmp_path / "ledger.html").write_text(f"<table>{row * rows}</table>", encoding="utf-8")
        assert check(tmp_path) == []

    assert is_linear(work, 500)
