"""Python twins of the live components: every number is the ledger's, and the state suits the browser."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.livepages import PARTS, FakeLive, ledger, twin

CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in PARTS),
    ("residual-sim", {"bands": "norm.seeds", "start": "residual", "key": "other"}),
    ("residual-sim", {"bands": "norm.seeds", "start": "scaled"}),
    ("batch-mates", {"column": "both"}),
]
VOID = {"path", "br", "input"}


class Prose(HTMLParser):
    """Collects what a reader reads outside ledger numbers, ticks and pictures; checks that tags nest."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, bool]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a tag; numbers and ticks are skipped with all they hold."""
        given = dict(attrs)
        self.text += [given[name] or "" for name in ("aria-label", "alt") if name in given]
        skipped = {"num", "ticks"} & set((given.get("class") or "").split()) or tag == "svg"
        if tag not in VOID:
            self.open.append((tag, bool(skipped)))

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that is open."""
        if tag not in VOID:
            assert self.open
            assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        """Keep text outside what is skipped."""
        if not any(skipped for _, skipped in self.open):
            self.text.append(data)


def live(options: dict[str, Any]) -> FakeLive:
    """Return what a twin is given."""
    values, specs = ledger()
    return FakeLive(values, specs, options)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_fallback_types_no_number(name: str, options: dict[str, Any]) -> None:
    """Outside ledger numbers, declared literals and ticks no digit is shown; the HTML nests."""
    prose = Prose()
    prose.feed(twin(name).fallback(live(options)))
    assert not prose.open
    assert not re.findall(r"\d", re.sub(r"1/√N", "", "".join(prose.text)))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_state_is_json_without_infinities(name: str, options: dict[str, Any]) -> None:
    """The state is plain JSON and names the element's key in the query."""
    state = json.loads(json.dumps(twin(name).data(live(options)), allow_nan=False))
    assert re.fullmatch(r"[a-z-]+", state["key"])
    assert state["key"] == options.get("key", state["key"])


def test_two_batch_tables_do_not_share_a_key() -> None:
    """The two tables of the lesson have keys of their own."""
    module = twin("batch-mates")
    assert module.data(live({}))["key"] != module.data(live({"column": "both"}))["key"]


def test_simulator_reads_every_scenario() -> None:
    """With bands the table shows three scenarios with theory and recorded seeds."""
    given = live({"bands": "norm.seeds"})
    html = twin("residual-sim").fallback(given)
    assert html.count('<th scope="row">') == 3
    for scenario in ("residual", "norm", "scaled"):
        assert {
            f"norm.sim.{scenario}.ratio",
            f"norm.theory.{scenario}.p50",
            f"norm.seeds.{scenario}.ratio_p50",
        } <= given.used


def test_unknown_ids_are_the_generators_to_report() -> None:
    """A missing fact raises from the lookup, not later with half a page."""
    with pytest.raises(KeyError, match="nowhere"):
        twin("residual-sim").fallback(live({"ids": "nowhere"}))


def test_batch_marks_compare_with_the_sentence_alone() -> None:
    """BatchNorm changes in every other case, RMSNorm and LayerNorm never."""
    html = twin("batch-mates").fallback(live({"column": "both"}))
    assert html.count("is-changed") == 5
    assert html.count("is-same") == 10
