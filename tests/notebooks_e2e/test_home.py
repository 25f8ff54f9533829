"""The home page in Chromium: whole at every width and in both themes, accessible, and patient with its service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests import npm
from tests.notebooks_e2e.conftest import Service
from tests.notebooks_e2e.pages import ARTIFACTS, BrowserPage
from tests.notebooks_e2e.programs import opened

pytestmark = pytest.mark.slow

WIDTHS = (1440, 768, 360)
VIEWS = ("", "forecasts/btc", "lanes", "accuracy", "hospital", "apex")
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NOTHING_LOADS = "() => ![...document.querySelectorAll('main p')].some(row => row.textContent.startsWith('Loading'))"
QUESTION = "Will Bitcoin rise more than 5% this month?"


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core."""
    folder = Path(__file__).parent
    npm.installed(folder)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[BrowserPage]:
    """A browser without a key, in the light theme."""
    with opened(browser) as page:
        page.page.emulate_media(color_scheme="light")
        yield page


def open_view(page: Page, service: Service, view: str) -> None:
    """Open a view and wait until each part of it is there."""
    page.goto(f"{service.environment['ORACLE_URL']}/#/{view}")
    page.locator("main h1").wait_for()
    page.wait_for_function(NOTHING_LOADS)


def serious_faults(page: Page, axe: str) -> list[Any]:
    """What axe-core finds on a page of the impact serious or critical, with the elements."""
    page.evaluate(f"{axe}; null")
    violations = page.evaluate("axe.run()")["violations"]
    return [
        (violation["id"], [node["html"] for node in violation["nodes"]])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_whole_and_accessible(service: Service, visitor: BrowserPage, axe: str, view: str):
    """At three widths, in light and dark: nothing makes the page wider, axe-core finds no serious fault."""
    page, faults = visitor.page, list[str]()
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    open_view(page, service, view)
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(NOTHING_LOADS)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 1000})
            assert page.evaluate(OVERFLOW) <= 0, (scheme, width)
            assert serious_faults(page, axe) == [], (scheme, width)
            page.screenshot(path=ARTIFACTS / f"home-{view.split('/')[0]}-{scheme}-{width}.png", full_page=True)
    assert faults == []


def ask(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def register(page: Page) -> None:
    page.get_by_label("Your email").fill("visitor@example.com")
    page.get_by_role("button", name="Get the key and ask").click()


def test_a_visitor_asks_with_a_key_that_is_kept(service: Service, visitor: BrowserPage):
    """Nine votes and the answer; the next visit needs no registration."""
    page = visitor.page
    open_view(page, service, "")
    expect(page.get_by_text("An open market as an example, with its votes of the opening")).to_be_visible()
    ask(page)
    register(page)
    expect(page.get_by_label("Answer").get_by_role("status")).to_contain_text("%")
    expect(page.locator(".votes li")).to_have_count(9)
    ask(page, "and eth?")
    expect(page.get_by_label("Answer")).to_contain_text("Will Ethereum (eth) trade at or above")
    page.reload()
    ask(page, "best pizza in town?")
    expect(page.get_by_role("alert").first).to_contain_text("The question names no market.")
    expect(page.get_by_role("alert").first.get_by_role("button")).not_to_have_count(0)


def test_a_question_survives_a_restart_of_the_service(service: Service, visitor: BrowserPage):
    """It is asked again under its key, and counts once."""
    page = visitor.page
    open_view(page, service, "")
    ask(page)
    register(page)
    expect(page.get_by_label("Answer").get_by_role("status")).to_contain_text("%")
    with service.stopped():
        ask(page, "Will ETH rise this week?")
        page.get_by_text("Asking again").wait_for()
    expect(page.get_by_label("Answer").get_by_role("status")).to_contain_text("%")
    key = page.evaluate("localStorage.getItem('ninefold-key')")
    usage = httpx.get(f"{service.environment['ORACLE_URL']}/api/v1/me", headers={"X-API-Key": key}).json()
    assert usage["used"] == 2


def test_the_page_speaks_the_language_of_its_reader(service: Service, browser: Browser):
    """That of the browser first, then the one that is chosen, which is kept."""
    context = browser.new_context(locale="de-DE")
    page = context.new_page()
    open_view(page, service, "lanes")
    assert page.evaluate("document.documentElement.lang") == "de"
    page.get_by_role("combobox").select_option("ja")
    page.wait_for_function("() => document.documentElement.lang === 'ja'")
    page.reload()
    page.wait_for_function("() => document.documentElement.lang === 'ja'")
    assert page.locator("nav a").first.text_content() != "Home"
    context.close()


def test_without_outside_odds_the_voters_stand_alone(service: Service, visitor: BrowserPage):
    """In the live world no outside market may have had odds for a market of the past."""
    page = visitor.page

    def without_odds(route: Route) -> None:
        document = route.fetch().json()
        books = [book | {"n": 0} for book in document["books"]]
        route.fulfill(json=document | {"books": books})

    page.route("**/api/predictions/ai-vs-market", without_odds)
    open_view(page, service, "")
    expect(page.get_by_text("No outside market had odds for a resolved market yet.")).to_be_visible()
    expect(page.get_by_role("row", name="Right side")).to_contain_text("%")
