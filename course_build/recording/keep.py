"""A finished run on disk: run.json, log.jsonl (and a lab's page.html), all of them or none.

keep(root, plan, made)      write the run's folder beside the old one and exchange the two
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_build.errors import CourseError, Problem
from course_build.files.publish import publish, staging
from course_build.files.source import load
from course_build.keys import canonical, digest
from course_build.recording.plans import OUTCOMES, Plan
from course_build.recording.runs import LOG, PAGE, RECORD, RUNS, SCHEMA, sha256
from course_build.recording.summary import summarise

_NUMBERS = re.compile(r"\[\s*([-+.eE\d,\s]+?|(?:null|[-+.eE\d,\s])+?)\s*\]")


@dataclass(frozen=True)
class Made:
    """What a process gave, and what is known of the process."""

    records: list[dict[str, Any]]
    date: str  # ISO 8601, UTC, when it started
    seconds: float  # wall time
    environment: dict[str, Any]


def key_of(plan: Plan) -> str:
    """Return the digest of everything the run depends on."""
    return digest(canonical(plan.parts))


def folder_of(root: Path, plan: Plan) -> Path:
    """Return where the run is kept; a preset's runs are no evidence and stay in the cache."""
    return (root / RUNS if plan.preset is None else root / ".cache/runs" / plan.preset) / plan.name


def thresholds(root: Path) -> dict[str, float]:
    """Return the gains, in nats, above which a run trains and below which it is stuck."""
    source = load(OUTCOMES, root)
    return {name: source.read(f"/{name}", float) for name in ("trains", "stuck")}


def keep(root: Path, plan: Plan, made: Made) -> dict[str, Any]:
    """Store the run and return its summary.

    Raises:
        CourseError: it cannot be written; the old run stands.
    """
    log = [record for record in made.records if not {"end", "page"} & record.keys()]
    end = next(record["end"] for record in reversed(made.records) if "end" in record)
    page = next((record["page"] for record in made.records if "page" in record), None)
    lines = "".join(json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n" for record in log)
    summary = summarise(plan, log, end, thresholds(root))
    run = {
        "schema": SCHEMA,
        "name": plan.name,
        "kind": plan.kind,
        "recipe": plan.recipe,
        **({} if plan.preset is None else {"preset": plan.preset}),
        "seed": plan.seed,
        "key": key_of(plan),
        "date": made.date[:10],
        "started": made.date,
        "seconds": round(made.seconds, 1),
        "environment": made.environment,
        "values": plan.values,
        "parts": plan.own_parts,
        "log_sha256": sha256(lines),
        **({} if page is None else {"page_sha256": sha256(page)}),
        "summary": summary,
    }
    files = {RECORD: readable(run), LOG: lines} | ({} if page is None else {PAGE: page})
    _write(folder_of(root, plan), files)
    return summary


def readable(run: dict[str, Any]) -> str:
    """Return JSON with one key a line, lists of numbers on one line: a diff shows what moved."""
    text = json.dumps(run, ensure_ascii=False, indent=2, allow_nan=False)
    return _NUMBERS.sub(lambda match: f"[{', '.join(match[1].replace(',', ' ').split())}]", text) + "\n"


def _write(folder: Path, files: dict[str, str]) -> None:
    beside = staging(folder)
    try:
        for name, text in files.items():
            (beside / name).write_text(text, encoding="utf-8", newline="\n")
        publish(beside, folder)
    except OSError as error:
        raise CourseError(Problem(folder.name, 0, f"cannot be written: {error.strerror}; the old run stands")) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
