"""Whether two checkouts behave the same, but for words: `python -m tests.measure.compare_checkouts OLD NEW`.

Each checkout reads a table of questions and runs one seeded world, in processes of its own (`checkout_dump`). Their
answers, documents, votes and ledgers are compared by `checkout_differences`, which lists what may differ and why.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.measure.checkout_differences import DIFFERENT, FOLLOWS, KINDS, WORDED, Difference, compare

STEPS = ("questions", "world")
SHOWN = 15  # differences of a section that are printed, each from another place
# The instant and the prices at which the table of questions is read.
NOW = "2026-11-21T10:00:00+00:00"
SPOTS = {"btc": 94075.9, "eth": 1794.58, "sol": 147.04, "bnb": 598.68, "xrp": 2.1929, "gold": 3282.8, "silver": 32.835}

Items = dict[tuple[str, str], dict[str, Any]]  # by section and name


def main() -> int:
    """Run both checkouts, compare and print; 1 where anything is DIFFERENT."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", type=Path, metavar="OLD_CHECKOUT")
    parser.add_argument("new", type=Path, metavar="NEW_CHECKOUT")
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        old, new = run(arguments.old.resolve(), arguments.new.resolve(), Path(folder))
    print(f"Both checkouts ran in {time.monotonic() - began:.0f} s.\n")
    return report(old, new)


def run(old: Path, new: Path, folder: Path) -> list[Items]:
    """What each checkout answers. A step runs in both at the same time."""
    inputs, script = folder / "inputs.json", Path(__file__).with_name("checkout_dump.py")
    inputs.write_text(json.dumps(questions(old)), encoding="utf-8")
    checkouts = {"old": old, "new": new}
    for step in STEPS:
        processes = {}
        for name, checkout in checkouts.items():
            command = [sys.executable, script, step, inputs, folder / f"{name}-{step}.jsonl"]
            processes[name] = subprocess.Popen(command, cwd=checkout, stdout=subprocess.DEVNULL)
        failed = [str(checkouts[name]) for name, process in processes.items() if process.wait()]
        if failed:
            raise SystemExit(f"The step `{step}` failed in {' and '.join(failed)}.")
    return [read([folder / f"{name}-{step}.jsonl" for step in STEPS]) for name in checkouts]


def read(files: Sequence[Path]) -> Items:
    """The items of files of JSON lines."""
    items = (json.loads(line) for file in files for line in file.read_text(encoding="utf-8").split("\n") if line)
    return {(item["section"], item["name"]): item for item in items}


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


def report(old: Items, new: Items) -> int:
    """Print the table, and what differs where; 1 where anything is DIFFERENT."""
    table: dict[str, Counter[int]] = {}
    differences: dict[str, list[Difference]] = {}
    for section, name in old | new:
        pair = list(compare(name, old.get((section, name)), new.get((section, name))))
        table.setdefault(section, Counter())[max((difference.kind for difference in pair), default=0)] += 1
        differences.setdefault(section, []).extend(pair)
    print_row("section", "compared", KINDS)
    for section, counts in [*table.items(), ("all", sum(table.values(), Counter()))]:
        print_row(section, f"{counts.total():,}", [f"{counts[kind]:,}" for kind in range(len(KINDS))])
    everything = [difference for section in differences.values() for difference in section]
    print_counts("Words only", Counter(item.field for item in everything if item.kind == WORDED))
    headlines = Counter(item.place for item in everything if item.kind == FOLLOWS)
    print_counts("Follows from the shortened headlines", headlines)
    for section, listed in differences.items():
        print_different(section, [difference for difference in listed if difference.kind == DIFFERENT])
    return int(any(difference.kind == DIFFERENT for difference in everything))


def print_row(section: str, compared: str, counts: Sequence[str]) -> None:
    print(f"{section:16}{compared:>10}{''.join(f'{count:>24}' for count in counts)}")


def print_counts(title: str, counts: Counter[str]) -> None:
    """How many values differ under each name."""
    print(f"\n{title}: {counts.total():,} values")
    for name, count in sorted(counts.items()):
        print(f"{count:9,}  {name}")


def print_different(section: str, differences: Sequence[Difference]) -> None:
    """The first difference of each place, with its path and both values."""
    places = {difference.place: difference for difference in reversed(differences)}
    if places:
        print(f"\nDIFFERENT in {section}: {len(differences):,} values at {len(places):,} places; the first of them:")
    for difference in list(reversed(places.values()))[:SHOWN]:
        print(f"  {difference.item[:110]}")
        print(f"    {difference.path}: {repr(difference.old)[:100]} -> {repr(difference.new)[:100]}")


if __name__ == "__main__":
    sys.exit(main())
