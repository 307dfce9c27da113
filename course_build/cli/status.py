"""course status (being written)."""

from __future__ import annotations

import typer


def command(context: typer.Context) -> None:
    """Being written."""
    raise typer.Exit(2)
