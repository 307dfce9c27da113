"""Training runs on a Dask cluster; every worker has its own checkout, which must be the same code.

make(address, root, plans, jobs)    yield every plan with what came of it, as they finish
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from course_build.errors import CourseError, Problem
from course_build.recording.keep import Made
from course_build.recording.machine import environment
from course_build.recording.plans import KINDS, Plan
from course_build.recording.process import FailedRunError, Processes

Job = dict[str, Any]


def make(
    address: str, root: Path, plans: Sequence[Plan], jobs: dict[str, Job]
) -> Iterator[tuple[Plan, Made | BaseException]]:
    """Yield every plan with the result of its run, or the error that ended it.

    Raises:
        CourseError: dask.distributed is not installed, or no scheduler answers at `address`.
    """
    try:
        distributed = importlib.import_module("distributed")  # untyped, and an extra
    except ImportError:
        text = "dask.distributed is not installed: pip install 'course-build[cluster]'"
        raise CourseError(Problem("--scheduler", 0, text)) from None
    try:
        client = distributed.Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise CourseError(Problem("--scheduler", 0, f"no scheduler at {address}: {error}")) from None
    with client:
        wheel = Path(jobs[plans[0].name]["corpus"]["wheel"])
        [data] = client.scatter([base64.b64encode(wheel.read_bytes()).decode()], broadcast=True)
        futures = {
            client.submit(remote, KINDS[each.kind].module, jobs[each.name], each.own_parts, data, pure=False): each
            for each in plans
        }
        try:
            for future in distributed.as_completed(list(futures)):
                yield futures[future], future.exception() or Made(**future.result())
        except BaseException:
            client.cancel(list(futures))
            raise


def remote(module: str, job: Job, parts: dict[str, Any], wheel: str) -> dict[str, Any]:
    """Run one job in the worker's own checkout; called by Dask on the worker.

    Raises:
        FailedRunError: the worker's code or libraries are not those of the run's key, or the run failed.
    """
    import course_build
    from course_build.recording.code import distributions, module_digests

    root = Path(course_build.__file__).parents[1]
    modules = module_digests(root, f"{module.replace('.', '/')}.py")
    here = modules | distributions(root, modules)
    if wrong := [name for name, value in here.items() if parts.get(name) != value]:
        raise FailedRunError(f"the worker has another {', '.join(wrong)}: update its checkout")
    local = _corpus_here(root, job, base64.b64decode(wheel))
    date = datetime.now(UTC).isoformat(timespec="seconds")
    start = time.monotonic()
    place = environment()
    records = Processes().run(module, local, root, lambda record: None)
    return {"records": records, "date": date, "seconds": time.monotonic() - start, "environment": place}


def _corpus_here(root: Path, job: Job, wheel: bytes) -> Job:
    """Put the wheel into the worker's cache; return the job with the worker's own paths."""
    name = Path(job["corpus"]["wheel"]).name
    kept = root / ".cache/corpus" / f"{hashlib.sha256(wheel).hexdigest()[:16]}-{name}"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        temporary = kept.with_suffix(f".{time.monotonic_ns()}.tmp")
        temporary.write_bytes(wheel)
        temporary.replace(kept)
    return {**job, "corpus": {**job["corpus"], "wheel": str(kept)}, "checkpoint": None}
