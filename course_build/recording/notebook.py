"""A lab page, executed once: its outputs are a recorded run, and a build only shows them.

A job with the page's path comes in on stdin. Out come one record per code cell (its printed text), the page
as an HTML fragment that mkdocs-jupyter's converter made, stripped to what a reader needs, and the number of
cells. An error in a cell ends the process with the cell's own message.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext
from bs4 import BeautifulSoup, Tag
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

LIMIT = 60 * 1024  # bytes of HTML
TIMEOUT = 600  # s, for one cell
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_DROPPED = "script, style, link, iframe, svg, .clipboard-copy-txt, .anchor-link, .jp-Collapser, .jp-InputPrompt"
_BREAK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n(?=[\u3000-\u9fff\uff00-\uffef])")  # would show as a gap
_UNCOLOURED = "span.n, span.p, span.w, span.o"  # names, brackets, blanks, operators: the text's own colour


def execute(path: Path) -> Any:
    """Return the notebook of a percent-format page with a fresh kernel's outputs."""
    notebook = jupytext.read(path, fmt="py:percent")
    transport = "ipc" if os.name == "posix" else "tcp"  # no port, nobody else can listen
    manager = KernelManager(kernel_name="python3", transport=transport)
    resources = {"metadata": {"path": str(Path.cwd())}}
    client = NotebookClient(notebook, km=manager, timeout=TIMEOUT, resources=resources)
    client.execute(stderr=subprocess.DEVNULL)  # the kernel's own remarks; what cells print comes as outputs
    return notebook


def outputs(notebook: Any) -> list[str]:
    """Return what each code cell printed or returned; anything but text is refused."""
    texts = []
    for number, cell in enumerate(each for each in notebook.cells if each.cell_type == "code"):
        text = ""
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stdout":
                text += output.text
            elif output.output_type == "execute_result" and output.data.keys() == {"text/plain"}:
                text += output.data["text/plain"] + "\n"
            else:
                seen = ", ".join(output.get("data", {})) or output.get("name", output.output_type)
                raise ValueError(f"code cell {number + 1} gave {seen}, only printed text is shown")
        texts.append(text)
    return texts


def page_of(notebook: Any) -> str:
    """Return the page's body: prose, code with Pygments' classes, outputs; no script, nothing fetched."""
    from mkdocs_jupyter.convert import nb2html

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.ipynb"
        file.write_text(json.dumps(notebook), encoding="utf-8")
        html = nb2html(str(file), execute=False, no_prompt=True)
    body = BeautifulSoup(html, "html.parser").select_one(".jp-Notebook")
    if body is None:
        raise ValueError("mkdocs-jupyter gave a page without a notebook")
    for each in body.select(_DROPPED):
        each.decompose()
    parts = [_cell(cell) for cell in body.select(".jp-Cell") if cell.find_parent(class_="jp-Cell") is None]
    page = _numbered('<div class="lab">\n' + "\n".join(parts) + "\n</div>\n")
    if len(page.encode()) > LIMIT:
        raise ValueError(f"the page has {len(page.encode()):,} bytes, at most {LIMIT:,} are shown")
    return page


def _cell(cell: Tag) -> str:
    """Return one cell in the site's own classes."""
    prose = cell.select_one(".jp-RenderedMarkdown, .jp-MarkdownOutput")
    if prose is not None:
        text = _BREAK.sub("", prose.decode_contents().strip())
        return f'<div class="lab-prose">{text}</div>'
    code = cell.select_one(".highlight-ipynb pre")
    shown = ""
    if code is not None:
        for span in code.select(_UNCOLOURED):
            span.unwrap()
        inner = code.decode_contents().strip()
        shown = f'<div class="highlight"><pre tabindex="0"><code>{inner}</code></pre></div>'
    printed = "".join(pre.decode_contents() for pre in cell.select(".jp-OutputArea-output pre")).rstrip()
    output = f'<pre class="lab-output" tabindex="0">{printed}</pre>' if printed else ""
    return f'<div class="lab-code">{shown}{output}</div>'


def _numbered(page: str) -> str:
    """Give headings short ASCII ids, lab-1, lab-2, … in their order."""
    soup = BeautifulSoup(page, "html.parser")
    for number, heading in enumerate(soup.select("h1, h2, h3, h4"), 1):
        heading.attrs = {"id": f"lab-{number}"}
    return str(soup)


def main() -> int:
    """Execute the page named on stdin; the exit status is 1 when a cell fails."""
    logging.disable(logging.WARNING)
    path = Path(json.load(sys.stdin)["path"])
    try:
        notebook = execute(path)
        texts = outputs(notebook)
        page = page_of(notebook)
    except CellExecutionError as error:
        sys.stderr.write(f"{path}: {_ANSI.sub('', str(error)).strip().splitlines()[-1]}\n")
        return 1
    except ValueError as error:
        sys.stderr.write(f"{path}: {error}\n")
        return 1
    for number, text in enumerate(texts):
        sys.stdout.write(json.dumps({"cell": number, "output": text}, ensure_ascii=False) + "\n")
    sys.stdout.write(json.dumps({"page": page}, ensure_ascii=False) + "\n")
    sys.stdout.write(json.dumps({"end": {"cells": len(texts), "bytes": len(page.encode())}}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
