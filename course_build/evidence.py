"""How a number is known: ordered kinds; a result is as weak as its weakest input."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Kind(Enum):
    """The kinds of evidence, strongest first (value = id used in files, CSS and JSON)."""

    PROVED = "proved"
    COMPUTED = "computed"
    SIMULATED = "simulated"
    MEASURED = "measured"
    REPORTED = "reported"
    HYPOTHESIS = "hypothesis"
    CONSTRUCTED = "constructed"  # stands apart and is contagious: made up for teaching

    @property
    def label(self) -> str:
        """Return the Chinese label."""
        return _LABELS[self][0]

    @property
    def glyph(self) -> str:
        """Return the glyph shown beside the ink, so that colour is never the only sign."""
        return _LABELS[self][1]

    @property
    def rank(self) -> int:
        """Return 0 for the strongest kind."""
        return list(Kind).index(self)


_LABELS = {
    Kind.PROVED: ("证明", "∎"),
    Kind.COMPUTED: ("计算", "="),
    Kind.SIMULATED: ("模拟", "≈"),
    Kind.MEASURED: ("实测", "◉"),
    Kind.REPORTED: ("报告", "❝"),
    Kind.HYPOTHESIS: ("假设", "?"),
    Kind.CONSTRUCTED: ("构造", "✎"),
}


def weakest(kinds: Iterable[Kind]) -> Kind:
    """Return the weakest of `kinds`; nothing at all counts as computed; constructed wins over all."""
    return max(kinds, key=lambda kind: kind.rank, default=Kind.COMPUTED)
