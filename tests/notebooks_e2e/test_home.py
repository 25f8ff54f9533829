"""The home page in Chromium: whole at every width, accessible, patient with its service; its card in another page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask, Response, request
from playwright.sync_api import Browser, FrameLocator, Page, Route, expect

from service.api.services import KEPT_S
from tests import npm
from tests.notebooks_e2e.conftest import Service
from tests.notebooks_e2e.pages import ARTIFACTS, BrowserPage
from tests.notebooks_e2e.programs import opened
from tests.processes import wait_until
from tests.running_service import RunningService, copied, listening, running_service

pytestmark = pytest.mark.slow

WIDTHS = (1440, 768, 360)
VIEWS = ("", "forecasts/btc", "lanes", "accuracy", "hospital", "apex")
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
NOTHING_LOADS = "() => ![...document.querySelectorAll('main p')].some(row => row.textContent.startsWith('Loading'))"
QUESTION = "Will Bitcoin rise more than 5% this month?"
# The statuses of each path, in the order of the responses.
Seen = dict[str, list[int]]
HIGHER = "document.documentElement.scrollHeight > document.documentElement.clientHeight"


@pytest.fixture(scope="module")
def axe() -> str:
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


@pytest.fixture(scope="module")
def running(seeded: Path, tmp_path_factory) -> Iterator[RunningService]:
    with running_service(copied(seeded, tmp_path_factory.mktemp("embed"))) as running:
        running.work()
        yield running


@pytest.fixture(scope="module")
def seen() -> Seen:
    return defaultdict(list)


@pytest.fixture(scope="module")
def origin(running: RunningService, seen: Seen) -> Iterator[str]:
    """The address of the service, which writes the statuses of each path down."""
    app = running.runtime.application()

    @app.after_request
    def note(response: Response) -> Response:
        seen[request.path].append(response.status_code)
        return response

    with listening(app) as origin:
        yield origin


@pytest.fixture(scope="module")
def blog(origin: str) -> Iterator[str]:
    """The page of somebody else, of another origin; its path is `asset/theme`."""
    app = Flask("blog")

    @app.get("/<asset>/<theme>")
    def page(asset: str, theme: str) -> str:
        script = f'<script async src="{origin}/embed.js" data-asset="{asset}" data-theme="{theme}"></script>'
        return f'<!doctype html><link rel="icon" href="data:,"><body style="margin:0">{script}'

    with listening(app) as blog:
        yield blog


@contextmanager
def framed(
    browser: Browser, address: str, width: int = 480, scheme: str = "light"
) -> Iterator[tuple[Page, FrameLocator]]:
    """The page at an address with the frame in it, once it shows a price."""
    with opened(browser) as opened_page:
        page = opened_page.page
        page.set_viewport_size({"width": width, "height": 500})
        page.emulate_media(color_scheme=scheme)
        page.clock.install()
        page.goto(address)
        frame = page.frame_locator("iframe")
        frame.get_by_text("simulated market").wait_for()
        yield page, frame


@pytest.mark.parametrize(
    ("theme", "scheme", "width", "background"),
    [
        ("light", "dark", 480, "rgb(255, 255, 255)"),
        ("dark", "light", 480, "rgb(21, 25, 31)"),
        ("auto", "dark", 320, "rgb(21, 25, 31)"),
        ("auto", "light", 320, "rgb(255, 255, 255)"),
    ],
)
def test_it_fits_into_the_page_of_another_origin(
    browser: Browser, blog: str, theme: str, scheme: str, width: int, background: str
):
    """As wide as there is room and as high as its contents, in the theme that was asked for."""
    with framed(browser, f"{blog}/btc/{theme}", width, scheme) as (page, frame):
        frame.get_by_text("Chance of a higher price").wait_for()
        page.wait_for_function("parseInt(document.querySelector('iframe').style.height) > 250")
        inner = page.frames[1]
        assert not inner.evaluate(HIGHER)
        assert inner.evaluate("document.documentElement.scrollWidth") <= min(width, 440)
        assert inner.evaluate("getComputedStyle(document.documentElement).backgroundColor") == background
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"embed-{theme}-{scheme}-{width}.png")


def test_another_asset_shows_its_own_price(browser: Browser, blog: str, running: RunningService):
    """It says since when it has no new data."""
    prices = {price["asset"]: price for price in running.client.get("/api/v1/prices").json["prices"]}
    with framed(browser, f"{blog}/eth/light") as (page, frame):
        assert frame.locator("#name").inner_text() == prices["eth"]["name"]
        figure = float(frame.locator("#price").inner_text().replace(",", ""))
        assert figure == pytest.approx(prices["eth"]["price"], rel=1e-4)
        assert frame.locator("#range").is_visible()
        assert frame.locator("#odds").is_hidden()
        page.route("**/api/**", lambda route: route.abort())
        page.clock.fast_forward(31_000)
        frame.get_by_text("No new data since").wait_for()
        assert frame.locator("#price").inner_text() != "…"


def renew_until(page: Page, condition: Callable[[], bool]) -> None:
    """Let 30 s pass, again and again because the card counts them from the end of its last request."""

    def renewed() -> bool:
        page.clock.fast_forward(31_000)
        return condition()

    wait_until(renewed)


def test_it_renews_itself_by_asking_with_its_etag(browser: Browser, blog: str, running: RunningService, seen: Seen):
    """After 30 s an unchanged document is a 304 without a body, a new one is shown."""
    seen.clear()
    context = browser.new_context()  # without the filter of requests, which switches the browser's cache off
    page = context.new_page()
    page.clock.install()
    page.goto(f"{blog}/btc/light")
    status = page.frame_locator("iframe").locator("#status")
    status.filter(has_text="simulated market").wait_for()
    before = status.inner_text()
    paths = ("/api/v1/prices", "/api/v1/forecasts/btc", "/api/widget/consensus")
    renew_until(page, lambda: all(len(seen[path]) > 2 for path in paths))
    assert {path: (seen[path][0], *set(seen[path][1:])) for path in paths} == dict.fromkeys(paths, (200, 304))
    running.move(300)
    running.move(KEPT_S)  # a request before the new document kept the old one for this long
    renew_until(page, lambda: status.inner_text() != before)
    context.close()
