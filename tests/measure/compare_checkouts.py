"""Whether two checkouts behave the same, byte by byte: `python -m tests.measure.compare_checkouts OLD NEW`.

Each checkout reads a table of questions and runs one seeded world for some hours, in processes of its own
(`checkout_dump`), which draw the same ids, keys and salts. Their answers, documents, votes, refusals, ledgers and
OpenAPI are compared. Latencies and ids of requests are masked, so a checkout does not differ from itself.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

STEPS = ("questions", "world")
MOST_LINES = 15  # differences of a section that are printed, each from another place
# The instant and the prices at which the table of questions is read.
NOW = "2026-11-21T10:00:00+00:00"
SPOTS = {"btc": 94075.9, "eth": 1794.58, "sol": 147.04, "bnb": 598.68, "xrp": 2.1929, "gold": 3282.8, "silver": 32.835}

# Random or measured on the machine: in JSON, and in the text of the metrics.
MASK = re.compile(r'("latency_ms": ?)[0-9.]+|("request_id": ?)"[^"]*"')
MASKED_METRIC = re.compile(r"^(?:python|process)_.*\n|^\w+_(?:sum|bucket|created)\b.*\n", re.MULTILINE)
MASKED_HEADERS = ("X-Request-ID", "Content-Length", "ETag")  # the last two follow from the text

Item = dict[str, Any]
Items = dict[tuple[str, str], Item]  # by section and name


class Difference(NamedTuple):
    """Two values at one path of an item."""

    item: str
    path: str
    old: Any
    new: Any

    @property
    def place(self) -> str:
        """The item and the path without what is counted in them and what was sent."""
        name = re.sub(r"\?.*| \{.*| \|.*| #.*|\d+$", "", self.item)
        return f"{name}  {re.sub(r'(?<=/)[^/]*[0-9][^/]*', '*', self.path)}"


def main() -> int:
    """Run both checkouts, compare and print; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD_CHECKOUT")
    parser.add_argument("new", type=Path, metavar="NEW_CHECKOUT")
    parser.add_argument("--hours", type=int, default=72, help="that the world goes on, at least 25")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        old, new = run([options.old.resolve(), options.new.resolve()], options.hours, Path(folder))
    print(f"Both checkouts ran in {time.monotonic() - began:.0f} s.\n")
    return report(old, new)


def run(checkouts: Sequence[Path], hours: int, folder: Path) -> list[Items]:
    """What each checkout answers. A step runs in both at the same time."""
    inputs, script = folder / "inputs.json", Path(__file__).with_name("checkout_dump.py")
    inputs.write_text(json.dumps(questions(checkouts[0]) | {"hours": hours}), encoding="utf-8")
    for step in STEPS:
        processes = []
        for number, checkout in enumerate(checkouts):
            command = [sys.executable, script, step, inputs, folder / f"{number}-{step}.jsonl"]
            with (folder / f"{number}.log").open("wb") as log:
                processes.append(subprocess.Popen(command, cwd=checkout, stdout=log, stderr=log))
        for number, process in enumerate(processes):
            if process.wait():
                log = (folder / f"{number}.log").read_text(encoding="utf-8")[-2000:]
                raise SystemExit(f"The step `{step}` failed in {checkouts[number]}:\n{log}")
    return [read([folder / f"{number}-{step}.jsonl" for step in STEPS]) for number in range(len(checkouts))]


def questions(checkout: Path) -> dict[str, Any]:
    """The table of questions with their instants; for the oracle one of each language and comparator."""
    cases: list[dict[str, str]] = []
    oracle: dict[tuple[str, str], str] = {}
    for file in sorted(checkout.glob("tests/**/questions/cases/*.txt")):
        now, language = NOW, file.stem.partition("in_")[2]
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("now:"):
                now = f"{line.removeprefix('now:').strip()}+00:00"
            elif " => " in line and not line.startswith("# "):
                text, reading = (part.strip() for part in line.split(" => "))
                cases.append({"text": text, "now": now})
                oracle.setdefault((language, re.sub(r"^\S+ (not )?(\w+).*", r"\2", reading)), text)
    if not cases:
        raise SystemExit(f"{checkout} has no table of questions.")
    return {"cases": cases, "spots": SPOTS, "oracle": list(oracle.values())}


def read(files: Sequence[Path]) -> Items:
    """The items of files of JSON lines, without what is random or measured."""
    items = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").split("\n") if line]
    for item in items:
        item["headers"] = {name: text for name, text in item.get("headers", {}).items() if name not in MASKED_HEADERS}
        item["text"] = MASK.sub(r'\1\2"masked"', item["text"])
        if item["headers"].get("Content-Type", "").startswith("text/plain"):
            item["text"] = MASKED_METRIC.sub("", item["text"])
    return {(item["section"], item["name"]): item for item in items}


def report(old: Items, new: Items) -> int:
    """Print the table, and what differs where; 1 where anything does."""
    differences = {key: list(compare(key[1], old.get(key), new.get(key))) for key in old | new}
    totals = Counter(section for section, _ in differences)
    different = Counter(section for (section, _), places in differences.items() if places)
    print(f"{'section':16}{'compared':>10}{'different':>12}")
    for section, count in [*totals.items(), ("all", totals.total())]:
        print(f"{section:16}{count:>10,}{different[section] if section != 'all' else different.total():>12,}")
    for section in different:
        listed = [place for (name, _), place in differences.items() if name == section]
        places = {difference.place: difference for group in reversed(listed) for difference in reversed(group)}
        print(
            f"\nDifferent in {section}: {sum(map(len, listed)):,} values at {len(places):,} places; the first of them:"
        )
        for difference in list(reversed(places.values()))[:MOST_LINES]:
            print(f"  {difference.item[:110]}")
            print(f"    {difference.path}: {repr(difference.old)[:100]} -> {repr(difference.new)[:100]}")
    return int(bool(different))


def compare(name: str, old: Item | None, new: Item | None) -> Iterator[Difference]:
    """What differs between two items of one name; an item has a `text` and may have a status and headers."""
    if old is None or new is None:
        yield Difference(name, "(item)", "present" if old else "absent", "present" if new else "absent")
        return
    pairs = list(differing(content(old), content(new), ""))
    yield from (Difference(name, path, *pair) for path, *pair in pairs)
    if not pairs and old["text"] != new["text"]:
        lines = zip(old["text"].split("\n"), new["text"].split("\n"), strict=False)
        yield Difference(name, "(spelling)", *next(pair for pair in lines if pair[0] != pair[1]))


def content(item: Item) -> dict[str, Any]:
    """The status, the headers and the body of an item as one document; a body that is no JSON as its lines."""
    try:
        body = json.loads(item["text"] or "null", parse_float=str)
    except ValueError:
        body = item["text"].split("\n")
    return {"status": item.get("status"), "headers": item["headers"], "body": body}


def differing(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """The paths at which two documents have different values, with both."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        old, new = ({str(place): element for place, element in enumerate(elements)} for elements in (old, new))
    if not (isinstance(old, dict) and isinstance(new, dict)):
        if type(old) is not type(new) or old != new:
            yield path, old, new
        return
    for name in old | new:
        yield from differing(old.get(name, "(absent)"), new.get(name, "(absent)"), f"{path}/{name}")
    if list(old) != list(new) and set(old) == set(new):
        yield f"{path}/(order)", list(old), list(new)


if __name__ == "__main__":
    sys.exit(main())
