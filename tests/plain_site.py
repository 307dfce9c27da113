"""Write the rendered pages of our site as a plain Material site: what a build would cost without us.

Each page's rendered HTML becomes a Markdown page of one raw block; theme, search and language are ours, the extension
and the plugin are not.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]


def rendered_pages(root: Path, site: Path) -> dict[str, str]:
    """Build our site into `site`; return Markdown path -> rendered content of each page."""
    found: dict[str, str] = {}

    @event_priority(-50)
    def keep(output: str, *, page: Page, config: object) -> str:
        found[page.file.src_uri] = page.content or ""
        return output

    config = load_config(str(root / "mkdocs.yml"), site_dir=str(site))
    config.plugins.on_startup(command="build", dirty=False)
    config.plugins.events["post_page"].append(keep)
    build(config)
    config.plugins.on_shutdown()
    return found


def write(root: Path, folder: Path) -> None:
    """Write the plain project below `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    docs = folder / "docs"
    for name, html in rendered_pages(root, folder / "ours").items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # No blank lines: a blank line would end the raw block and start Markdown inside it.
        path.write_text("<div>\n" + re.sub(r"\n\s*\n", "\n", html) + "\n</div>\n", encoding="utf-8")
    settings = {
        "site_name": "plain",
        "site_url": "http://127.0.0.1:8000/",
        "use_directory_urls": False,
        "theme": {"name": "material", "language": "zh", "font": False},
        "plugins": [{"search": {"lang": "zh"}}],
        "markdown_extensions": ["attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc"],
        "validation": {"links": {"not_found": "ignore", "anchors": "ignore", "unrecognized_links": "ignore"}},
    }
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")
