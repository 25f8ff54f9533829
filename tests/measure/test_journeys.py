"""The journeys of service/README.md are those that a running service takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.measure.journeys import Journey, journeys
from tests.processes import ROOT
from tests.running_service import copied

PAGE = (ROOT / "service" / "README.md").read_text()
PATH = re.compile(r"`([a-z_]+(?:/[a-z_]+)+)`")
# What is on the way only with the reason beside it.
ELSEWHERE = {
    *("forecasting/voters/prompts", "sources/llm/seating"),  # language models
    *("sources/feeds/feed", "store/coins"),  # another coin, in the live world
    "jobs/threads",  # the thread that begins a job
}


def stops(name: str) -> set[str]:
    """The paths in the numbered stops of a journey."""
    part = PAGE.split(f"**{name}**", 1)[1].split("\n\n", 2)[1]
    return set(PATH.findall(part))


def is_entered(path: str, journey: Journey) -> bool:
    return any(f"{file}/".startswith(f"{path}/") for file in journey.entries)


@pytest.fixture(scope="module")
def traces(seeded: Path, tmp_path_factory) -> dict[str, Journey]:
    return journeys(copied(seeded, tmp_path_factory.mktemp("traced")))


def test_every_path_of_the_page_exists():
    folders = [ROOT / "service", *(ROOT / "service" / name for name in ("forecasting", "forecasting/voters"))]
    absent = [path for path in PATH.findall(PAGE) if not any(list(folder.glob(f"{path}*")) for folder in folders)]
    assert absent == []


@pytest.mark.slow
def test_a_question_enters_its_view_once(traces):
    assert traces["question"].entries["api/oracle"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "journey"),
    [("A question", "question"), ("A tick", "tick, with the price forecasts"), ("A market", "market")],
)
def test_every_stop_of_a_journey_is_entered(traces, name: str, journey: str):
    assert {path for path in stops(name) if not is_entered(path, traces[journey])} <= ELSEWHERE
