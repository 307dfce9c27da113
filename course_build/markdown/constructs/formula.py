r"""`/// formula | id`: a formula whose terms can be opened; the body is `$$ … \term{x}{x} … $$` and a definition list.

Each definition names a term and explains it.  The legend below the formula holds the real buttons and is complete
without JavaScript.
"""

from __future__ import annotations

import xml.etree.ElementTree as etree

from course_build.errors import CourseError
from course_build.markdown.construct import Block, Construct
from course_build.markdown.elements import child, put
from course_build.markdown.lines import strip
from course_build.markdown.mathblocks import display_source
from course_build.mathml.render import Formula


def expand(block: Block) -> None:
    """Set the formula with its terms marked, and the legend."""
    body = block.take_body()
    put(block.element, "figure", class_="formula", id=block.argument)
    line, latex = next((found for item in body if (found := display_source(item, block.held.math))), (0, ""))
    terms = [item for item in body if item.tag == "dl"]
    if not line or not terms:
        block.fail(f"formula {block.argument}: the body must hold one $$…$$ and a definition list of its terms")
        return
    block.references.check_formula(latex, line)
    try:
        formula = block.course.formula(latex, block.argument, block.references.math_values(line))
    except CourseError as error:
        block.fail_with(error, line)
        return
    math = child(block.element, "div", block.stash(formula.mathml), class_="formula-math", tabindex="0")
    math.set("role", "group")
    math.set("aria-label", block.argument)
    explained = _legend(block, terms, formula)
    for term in formula.terms:
        if term not in explained:
            block.fail(f"formula {block.argument}: term {term!r} has no explanation, add `{term}` to the list")
    for term in explained:
        if term not in formula.terms:
            block.fail(f"formula {block.argument}: {term!r} is explained but not in the formula, mark it \\term")


def _legend(block: Block, lists: list[etree.Element], formula: Formula) -> list[str]:
    """Write the buttons; a definition `term | label` has its own label, else the term's own formula is set."""
    legend = child(block.element, "dl", class_="formula-legend")
    explained: list[str] = []
    row = legend
    for item in (item for terms in lists for item in terms):
        if item.tag == "dt":
            name, _, label = (part.strip() for part in strip(item.text or "").partition("|"))
            explained.append(name)
            row = child(legend, "div", data_term=name)
            button = child(child(row, "dt"), "button", type="button", aria_expanded="true")
            button.set("aria-controls", f"{block.argument}-{name}-text")
            button.text = label or block.stash(formula.parts.get(name, name))
        else:
            item.tail = None
            item.set("id", f"{block.argument}-{explained[-1]}-text")
            row.append(item)
    return explained


CONSTRUCT = Construct("formula", __doc__, expand)
