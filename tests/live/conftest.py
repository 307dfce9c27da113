"""A page with all live components, as a site serves it, in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from tests import livepages
from tests.browser import chromium
from tests.live.reading import BLOCKS, LINKS, SITE, Open


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Drive the installed Chromium."""
    path = chromium.find()
    if path is None:
        pytest.fail("no Chromium: run python -m tests.browser.chromium")
    return {"executable_path": path, "args": list(chromium.ARGUMENTS)}


@pytest.fixture(scope="module")
def html() -> str:
    """Return the page of all components as a site serves it."""
    return livepages.page(BLOCKS, LINKS, SITE)


@pytest.fixture
def show(browser: Browser, html: str) -> Iterator[Open]:
    """Open the page with a query; console errors and requests elsewhere fail the test at its end."""
    faults: list[str] = []
    contexts = []

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE).split("?")[0]
        if path == "/page.html":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        elif route.request.url.startswith(SITE):
            route.fulfill(path=livepages.ROOT / path[1:])
        else:
            faults.append(f"request outwards: {route.request.url}")
            route.abort()

    def open_page(query: str = "", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1000, "height": 900}, **options})
        contexts.append(context)
        context.route("**/*", answer)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type in ("error", "warning") else None)
        page.goto(f"{SITE}/page.html{query}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []
