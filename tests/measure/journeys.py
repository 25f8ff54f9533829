"""How many hops a question, a tick and a market take through the service: `python -m tests.measure.journeys [--list]`.

Each journey is traced once in a simulated world of 120 days. A hop is a pair of modules, the first of which calls a
function of the second on the way; it counts once. Left out are properties, conversions and predicates (`to_`, `is_`),
inner functions, and the modules that every path needs (VOCABULARY). A package with one entrance counts as one module
(WHOLE). `files` are all files of which a function runs.
"""

from __future__ import annotations

import inspect
import re
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from service import logs
from service.market.instants import DAY, HOUR
from tests.running_service import RunningService, running_service

SERVICE = str(Path(__file__).parents[2] / "service") + "/"
QUESTION = "Will Bitcoin be above $58,000 on Friday?"
VOCABULARY = (
    *("access/", "market/", "canonical", "config", "documents", "errors", "logs", "signals", "tabular"),
    *("api/application", "api/metrics", "api/responses", "api/services", "jobs/job"),
    *("store/database", "store/tables"),
)
WHOLE = (
    *("ledger", "questions", "forecasting/apex", "forecasting/densities", "forecasting/news"),
    *("forecasting/predictions/scores", "forecasting/price_record", "forecasting/voters/prompts"),
    *("sources/feeds", "sources/llm", "sources/odds", "trading/fund", "trading/lanes", "trading/rules"),
)
CONVERSION = re.compile(r"(from|has|is|may|to|wants?)_|__(?!call__)|<")
BARS = ("tick", "observe", "rank", "battle")
MARKETS = ("predict", "list_markets", "settle", "score", "seal")
JOBS = {
    "tick: bars, lanes, strategies": BARS,
    "tick, with the price forecasts": (*BARS, "forecast_prices", "record_prices"),
    "market": MARKETS,
}


@dataclass
class Journey:
    """What was called on the way: pairs of modules with the function that was called first.

    `entries` counts by file how often it was entered from another one.
    """

    hops: dict[tuple[str, str], str] = field(default_factory=dict)
    entries: Counter[str] = field(default_factory=Counter)

    def note(self, caller: str | None, callee: str, code: CodeType, frame: FrameType) -> None:
        """Add a call from one module to another."""
        self.entries[callee] += caller != callee
        source, target = caller and _module(caller), _module(callee)
        if source is None or source == target or _is_vocabulary(source) or _is_vocabulary(target):
            return
        if not CONVERSION.match(code.co_name) and "<locals>" not in code.co_qualname and not _is_property(frame):
            self.hops.setdefault((source, target), code.co_qualname)


@contextmanager
def traced(*journeys: Journey) -> Iterator[None]:
    """Every call within the service is noted, in all threads that begin meanwhile."""
    local = threading.local()

    def profile(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(SERVICE):
            return
        stack = local.__dict__.setdefault("stack", [])
        if event == "return" and stack:
            stack.pop()
        elif event == "call":
            callee = code.co_filename.removeprefix(SERVICE).removesuffix(".py").removesuffix("/__init__")
            for journey in journeys if code.co_name != "<module>" else ():
                journey.note(stack[-1] if stack else None, callee, code, frame)
            stack.append(callee)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _module(name: str) -> str:
    return next((unit for unit in WHOLE if f"{name}/".startswith(f"{unit}/")), name)


def _is_vocabulary(name: str) -> bool:
    return f"{name}/".startswith(tuple(f"{word.rstrip('/')}/" for word in VOCABULARY))


def _is_property(frame: FrameType) -> bool:
    owner = frame.f_locals.get("self")
    attribute = inspect.getattr_static(type(owner), frame.f_code.co_name, None) if owner is not None else None
    return isinstance(attribute, property) or type(attribute).__name__ == "cached_property"


def journeys(folder: Path) -> dict[str, Journey]:
    """A question, then the jobs of a tick, then those of a market and the list of markets over the web.

    The service in `folder` may have begun before.
    """
    traces: dict[str, Journey] = {"question": Journey(), **{name: Journey() for name in JOBS}}
    with running_service(folder) as service:
        service.work()
        service.register()
        service.ask()
        with traced(traces["question"]):
            assert service.ask(QUESTION).status_code == 200
        service.engine.execute = _traced_jobs(service, traces)
        service.move(HOUR)
        with traced(traces["market"]):
            service.client.get("/api/v1/predictions", headers={"X-API-Key": service.key})
        service.move(DAY)
    return traces


def _traced_jobs(service: RunningService, traces: dict[str, Journey]) -> Callable[[str, int], str]:
    execute = service.engine.execute

    def run(name: str, slot: int) -> str:
        with traced(*(traces[journey] for journey, jobs in JOBS.items() if name in jobs)):
            return execute(name, slot)

    return run


def main() -> None:
    """Print a line for each journey; with --list its hops."""
    logs.configure("error")
    with tempfile.TemporaryDirectory() as folder:
        traces = journeys(Path(folder))
    for name, journey in traces.items():
        print(f"{name:32} {len(journey.hops):4} hops {len(journey.entries):4} files")
        for (caller, callee), function in journey.hops.items() if "--list" in sys.argv else ():
            print(f"    {caller} -> {callee}: {function}")


if __name__ == "__main__":
    main()
