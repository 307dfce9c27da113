"""Block diagrams as SVG, drawn from one description: a main path from top to bottom, and branches that join it.

    Diagram(
        Stack("Pre-Norm", [End("x"), Branch([Box("RMSNorm", ink="rmsnorm"), Box("注意力")]), End("y")], ink="pre"),
        Stack("Post-LN", [End("x"), Branch([Box("注意力")]), Box("LayerNorm", ink="layernorm"), End("y")], ink="post"),
    )

The main path carries the stack's ink and is drawn thick, so that a box standing on it is seen to break it.  Stacks
stand side by side where there is room and below each other on a phone; letters keep their size.  Colours are CSS
variables, positions whole or half pixels: the same description gives the same bytes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from course_build.errors import CourseError, Problem, nearest
from course_build.figures import INKS, FigureDef

WIDTH = 300  # of a stack
MAIN, SIDE = 92.0, 216.0  # x of the main path and of the branches
BOX = 140.0  # width of a box
HEIGHT, NOTED = 38.0, 54.0  # of a box, and of one with a note
GAP = 26.0  # of an arrow between two boxes
ADD = 10.0  # radius of the adding node
BEND = 12.0  # radius of a corner
LETTER = 14  # px; CSS sets the same


@dataclass(frozen=True)
class End:
    """Where the path begins or ends: text without a frame."""

    text: str


@dataclass(frozen=True)
class Box:
    """A step; `note` is a smaller second line, `ink` colours frame and ground."""

    text: str
    note: str = ""
    ink: str = ""


@dataclass(frozen=True)
class Branch:
    """A path that leaves the main one, runs through boxes and is added to it; `label` stands at the main path."""

    boxes: Sequence[Box]
    label: str = ""


@dataclass(frozen=True)
class Repeat:
    """Items that are repeated; `times` is written at a bracket around them."""

    times: str
    items: Sequence[Box | Branch]


Item = End | Box | Branch | Repeat


@dataclass(frozen=True)
class Stack:
    """One path with its name; `note` is a sentence below it, `told` replaces the text for those who cannot see."""

    title: str
    items: Sequence[Item]
    ink: str = "residual"
    note: str = ""
    told: str = ""


@dataclass(frozen=True, init=False)
class Diagram:
    """Stacks side by side."""

    stacks: tuple[Stack, ...]

    def __init__(self, *stacks: Stack) -> None:
        object.__setattr__(self, "stacks", stacks)


def render(definition: FigureDef, returned: object, place: tuple[str, int] = ("", 0)) -> str:
    """Return the stacks as HTML; title and summary of the whole stand in the page around them.

    Raises:
        CourseError: not a Diagram, an unknown ink, a text that does not fit its box.
    """
    if not isinstance(returned, Diagram) or not returned.stacks:
        seen = type(returned).__name__
        raise CourseError(Problem(*place, f"diagram {definition.id}: must return Diagram(Stack(…), …) (seen {seen})"))
    faults = list(_faults(returned))
    if faults:
        raise CourseError(Problem(*place, f"diagram {definition.id}: {fault}") for fault in faults)
    panels = [_panel(f"{definition.id}-{n}", stack) for n, stack in enumerate(returned.stacks, 1)]
    return f'<div class="diagram-panels">{"".join(panels)}</div>'


def texts(diagram: Diagram) -> list[str]:
    """Return every word in the picture, to be checked for typed numerals."""
    found = []
    for stack in diagram.stacks:
        found += [stack.title, stack.note, stack.told, *(text for text, _ in _words(stack.items))]
    return [text for text in found if text]


def _words(items: Sequence[Item]) -> Iterator[tuple[str, float]]:
    """Yield every text with the width it may take, in letters."""
    for item in items:
        if isinstance(item, Repeat):
            yield item.times, 4
            yield from _words(item.items)
        elif isinstance(item, Branch):
            yield item.label, 6
            yield from _words(item.boxes)
        else:
            yield item.text, BOX / LETTER - 0.8
            if isinstance(item, Box):
                yield item.note, BOX / LETTER + 1


def _inks(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Repeat):
            yield from _inks(item.items)
        elif isinstance(item, Branch):
            yield from _inks(item.boxes)
        elif isinstance(item, Box) and item.ink:
            yield item.ink


def _faults(diagram: Diagram) -> Iterator[str]:
    for stack in diagram.stacks:
        for name in (stack.ink, *_inks(stack.items)):
            if name not in INKS:
                yield f"unknown ink {name!r}{nearest(name, INKS)}"
        for text, room in _words(stack.items):
            if _letters(text) > room:
                yield f"{text!r} is {_letters(text):.0f} letters wide, {room:.0f} fit; shorten it or use note="


def _letters(text: str) -> float:
    """Return the width of a text in Chinese letters."""
    return sum(1.0 if unicodedata.east_asian_width(char) in "WF" else 0.56 for char in text)


def _panel(name: str, stack: Stack) -> str:
    canvas = _Canvas()
    canvas.items(stack.items)
    height = canvas.y + 6
    told = stack.told or "，".join(_told(stack.items))
    note = f'<p class="diagram-note">{escape(stack.note)}</p>' if stack.note else ""
    return (
        f'<div class="diagram-panel" style="--path:{_variable(stack.ink)}">'
        f'<p class="diagram-title">{escape(stack.title)}</p>'
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(stack.title)}</title><desc id="{name}-d">{escape(told)}</desc>'
        f"{''.join(canvas.under)}{''.join(canvas.over)}</svg>{note}</div>"
    )


def _told(items: Sequence[Item]) -> Iterator[str]:
    """Say the path in words."""
    for item in items:
        if isinstance(item, Repeat):
            yield f"以下重复 {item.times}：" + "，".join(_told(item.items))
        elif isinstance(item, Branch):
            yield f"支路经过 {'、'.join(box.text for box in item.boxes)}，加回主路"
        else:
            yield item.text


def _variable(name: str) -> str:
    """Return the CSS variable of an ink (tokens.css)."""
    own = {"accent": "c-accent", "warm": "c-fail", "cool": "c-improve", "grey": "c-grey", "text": "c-text"}
    return f"var(--{own.get(name, f'ink-{name}')})"


@dataclass
class _Canvas:
    """A pen that moves down the main path; `y` is where it stands."""

    y: float = 4.0
    under: list[str] = field(default_factory=list)  # the main path, below everything
    over: list[str] = field(default_factory=list)

    def items(self, items: Sequence[Item]) -> None:
        for number, item in enumerate(items):
            if number:
                self.main(GAP, arrow=not isinstance(item, Branch | Repeat))
            if isinstance(item, End):
                self.text(MAIN, self.y + 14, item.text, "diagram-end")
                self.y += 22
            elif isinstance(item, Box):
                self.y = self.box(MAIN, self.y, item)
            elif isinstance(item, Branch):
                self.branch(item)
            else:
                self.repeat(item)

    def main(self, length: float, *, arrow: bool = False) -> None:
        """Go down the main path."""
        end = self.y + length
        stop = end - (7 if arrow else 0)
        self.under.append(f'<path class="diagram-main" d="M{MAIN:g} {self.y:g}V{stop:g}"/>')
        if arrow:
            self.head(MAIN, end, "down", "diagram-main-head", 6.5)
        self.y = end

    def box(self, x: float, y: float, box: Box) -> float:
        """Draw a box with its top at y; return its bottom."""
        height = NOTED if box.note else HEIGHT
        style = f' style="--ink:{_variable(box.ink)}"' if box.ink else ""
        frame = f'x="{x - BOX / 2:g}" y="{y:g}" width="{BOX:g}" height="{height:g}" rx="7"'
        self.over.append(f'<rect class="diagram-box" {frame}{style}/>')
        self.text(x, y + (22 if box.note else height / 2 + 5), box.text, "diagram-text")
        if box.note:
            self.text(x, y + 42, box.note, "diagram-small")
        return y + height

    def branch(self, branch: Branch) -> None:
        """Leave the main path, run through the boxes, come back to the adding node."""
        fork = self.y
        y = fork + 28
        self.line(f"M{MAIN:g} {fork:g}H{SIDE - BEND:g}q{BEND:g} 0 {BEND:g} {BEND:g}V{y - 5:g}")
        for number, box in enumerate(branch.boxes):
            if number:
                self.line(f"M{SIDE:g} {y:g}v{GAP - 5:g}")
                y += GAP
            self.head(SIDE, y, "down", "diagram-head", 4.5)
            y = self.box(SIDE, y, box)
        join = y + 24
        edge = MAIN + ADD
        self.line(f"M{SIDE:g} {y:g}V{join - BEND:g}q0 {BEND:g} {-BEND:g} {BEND:g}H{edge + 5:g}")
        self.head(edge, join, "left", "diagram-head", 4.5)
        self.main(join - ADD - fork)
        self.over.append(f'<circle class="diagram-fork" cx="{MAIN:g}" cy="{fork:g}" r="3.5"/>')
        self.over.append(
            f'<circle class="diagram-add" cx="{MAIN:g}" cy="{join:g}" r="{ADD:g}"/>'
            f'<path class="diagram-plus" d="M{MAIN - 5:g} {join:g}h10M{MAIN:g} {join - 5:g}v10"/>'
        )
        top = (fork + join) / 2 - 8 * len(branch.label) + 13
        for number, letter in enumerate(branch.label):
            self.text(MAIN - 20, top + 16 * number, letter, "diagram-small")
        self.y = join + ADD

    def repeat(self, repeat: Repeat) -> None:
        """Draw the items, and a bracket at their left with the number of times."""
        top = self.y
        self.main(8)
        self.items(repeat.items)
        self.main(8)
        self.over.append(f'<path class="diagram-bracket" d="M12 {top:g}h-8V{self.y:g}h8"/>')
        self.text(8, (top + self.y) / 2 + 5, repeat.times, "diagram-small diagram-start")

    def line(self, path: str) -> None:
        self.over.append(f'<path class="diagram-line" d="{path}"/>')

    def head(self, x: float, y: float, towards: str, style: str, size: float) -> None:
        """Draw an arrow head whose tip is at (x, y)."""
        long = size * 1.5
        points = f"{x - size:g},{y - long:g} {x + size:g},{y - long:g}"
        if towards == "left":
            points = f"{x + long:g},{y - size:g} {x + long:g},{y + size:g}"
        self.over.append(f'<polygon class="{style}" points="{x:g},{y:g} {points}"/>')

    def text(self, x: float, y: float, text: str, style: str) -> None:
        self.over.append(f'<text class="{style}" x="{x:g}" y="{y:g}">{escape(text)}</text>')
