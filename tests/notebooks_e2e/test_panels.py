"""Every panel as it is seen: drawn, clicked on, light and dark, and there again after the page was loaded again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser

from tests.notebooks_e2e.conftest import Workbench, seen
from tests.notebooks_e2e.pages import Panel

QUESTION = "Will bitcoin be higher at the end of this month?"


@dataclass(frozen=True)
class Story:
    """Which panel of a notebook is looked at: a click on a point of a trace makes it tell what is in `told`.

    `chosen` is pressed first, and a `question` is asked.
    """

    name: str
    notebook: str
    trace: int
    told: str
    place: int = 0
    chosen: str = ""
    question: str = ""


STORIES = [
    Story("battle", "battle", 1, "worth"),
    Story("hospital", "hospital", 2, "health score"),
    Story("leaderboard", "strategies", 0, "rule"),
    Story("predictions", "accuracy", 8, "resolution", chosen="open markets"),
    Story("oracle", "oracle", 1, "Base rate", question=QUESTION),
    Story("apex", "oracle", 1, "backfilled", place=1),
]


@pytest.fixture(scope="module", params=["lab", "voila"])
def workbench(request) -> Workbench:
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module", params=STORIES, ids=lambda story: story.name)
def story(request) -> Story:
    return request.param


@pytest.fixture(scope="module")
def panel(workbench: Workbench, story: Story, browser: Browser) -> Iterator[Panel]:
    """The panel of a story, drawn."""
    with seen(browser) as sight:
        sight.page.goto(workbench.at(story.notebook))
        if workbench.runs_cells:
            sight.run_all()
        panel = sight.panel(story.place)
        if story.question:
            panel.ask(story.question)
        panel.traces()
        yield panel


def test_a_chart_is_as_wide_as_its_place(panel: Panel):
    panel.is_fitted()


def test_a_panel_is_drawn_of_which_world_it_says(panel: Panel, story: Story, workbench: Workbench):
    panel.tells("SIMULATED market")
    assert panel.sight.broken() == 0
    panel.picture(f"{story.name}-{workbench.name}-light")


def test_a_click_drills_down(panel: Panel, story: Story):
    if story.chosen:
        panel.press(story.chosen)
        panel.tells("of the key's calls")
    panel.click(story.trace)
    panel.details(story.told)


def test_a_panel_goes_dark_and_light_again_and_keeps_its_traces(panel: Panel, story: Story, workbench: Workbench):
    drawn = panel.traces()
    panel.turn("dark")
    assert panel.traces(least=drawn) == drawn
    panel.picture(f"{story.name}-{workbench.name}-dark")
    panel.turn("light")
    assert panel.traces(least=drawn) == drawn


def test_a_panel_is_there_again_after_the_page_was_loaded_again(panel: Panel, workbench: Workbench, story: Story):
    """In JupyterLab after the notebook was saved; a page of Voila begins anew."""
    drawn = panel.traces()
    if not workbench.runs_cells:
        panel.sight.page.reload()
        assert story.question or panel.traces()
        return
    panel.sight.save()
    panel.sight.page.reload()
    assert panel.traces(least=drawn) == drawn
