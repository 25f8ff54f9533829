"""The public pages in Chromium: whole at every width and in both themes, accessible, and quick for fifty visitors."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from notebooks.public_pages.publisher import PLOTLY
from notebooks.widgets.base.theme import PALETTES
from tests import npm
from tests.notebooks_e2e.conftest import CHARTS, PublicPages
from tests.notebooks_e2e.pages import ARTIFACTS, CUT_TEXTS, FIT, BrowserPage
from tests.notebooks_e2e.programs import opened

pytestmark = pytest.mark.slow

WIDTHS = (1440, 900, 480)
VISITORS = 50
MEMORY_MB = 600
AFTER_MS = 31_000  # a page asks for what is new every 30 s
PAPER = "color => getComputedStyle(document.querySelector('.main-svg')).backgroundColor === color"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core."""
    folder = Path(__file__).parent
    npm.installed(folder)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def visitor(browser: Browser) -> Iterator[BrowserPage]:
    """One page of the browser for all pages of the site, in the light theme first."""
    with opened(browser) as page:
        page.page.emulate_media(color_scheme="light")
        yield page


def open_chart(page: Page, address: str) -> None:
    """Open a page and wait until its chart is drawn."""
    page.goto(address)
    page.locator("#chart .main-svg").first.wait_for()


def select_scheme(page: Page, scheme: str) -> None:
    """Change the theme of the reader's system, and wait until the chart has it."""
    page.emulate_media(color_scheme=scheme)
    red, green, blue = bytes.fromhex(PALETTES[scheme].paper[1:])
    page.wait_for_function(PAPER, arg=f"rgb({red}, {green}, {blue})")


def serious_faults(page: Page, axe: str) -> list[Any]:
    """What axe-core finds on a page of the impact serious or critical, with the elements."""
    page.evaluate(f"{axe}; null")
    violations = page.evaluate("axe.run()")["violations"]
    return [
        (violation["id"], [node["html"] for node in violation["nodes"]])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("name", CHARTS)
def test_a_page_is_whole_and_accessible(public_pages: PublicPages, visitor: BrowserPage, axe: str, name: str):
    """At three widths, in light and dark: no text of the chart is cut and nothing makes the page wider.

    axe-core finds no serious fault, also with the table of the data open; no request leaves the machine.
    """
    page = visitor.page
    page.emulate_media(color_scheme="light")
    open_chart(page, public_pages.at(name))
    page.locator("summary").click()
    for scheme in PALETTES:
        select_scheme(page, scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 1000})
            chart = page.locator("#chart").element_handle()
            page.wait_for_function(FIT, arg=chart)
            ARTIFACTS.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=ARTIFACTS / f"{name}-page-{scheme}-{width}.png", full_page=True)
            assert page.evaluate(OVERFLOW) <= 0, (scheme, width)
            assert chart.evaluate(CUT_TEXTS) == [], (scheme, width)
        assert serious_faults(page, axe) == [], scheme
    assert visitor.blocked == []


def test_the_home_page_is_accessible_and_leads_to_each_page(public_pages: PublicPages, visitor: BrowserPage, axe: str):
    page = visitor.page
    page.emulate_media(color_scheme="light")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 1000})
        page.goto(f"{public_pages.origin}/")
        assert page.evaluate(OVERFLOW) <= 0
        page.screenshot(path=ARTIFACTS / f"home-page-light-{width}.png", full_page=True)
    assert serious_faults(page, axe) == []
    for name in CHARTS:
        page.locator(f"main a[href='{name}.html']").click()
        page.locator("#chart .main-svg").first.wait_for()
        page.get_by_role("link", name="Ninefold").click()


def test_an_open_page_takes_over_what_is_new(public_pages: PublicPages, browser: Browser):
    """Its status, and its chart if that has another version; it says when its server cannot be reached."""
    with opened(browser) as opened_page:
        page, requests = opened_page.page, []
        page.clock.install()
        open_chart(page, public_pages.at("hospital"))
        text = httpx.get(public_pages.at("hospital")).text
        text = text.replace("SIMULATED market", "ANOTHER market").replace('data-version="', 'data-version="2')
        page.route("**/hospital.html", lambda route: route.fulfill(body=text, content_type="text/html"))
        page.on("request", lambda request: requests.append(request.url))
        page.clock.fast_forward(AFTER_MS)
        page.get_by_text("ANOTHER market").wait_for()
        page.wait_for_function("document.getElementById('chart').dataset.version.startsWith('2')")
        assert [url for url in requests if url.endswith(".light.json")]
        page.route("**/hospital.html", lambda route: route.abort())
        page.clock.fast_forward(AFTER_MS)
        page.get_by_text("This page cannot reach its server").wait_for()
        assert page.locator("#chart .main-svg").count()


def first_chart_bytes(public_pages: PublicPages, name: str) -> int:
    """The compressed bytes of everything that the chart of a page needs, requested in the order of a browser."""
    count = 0
    with httpx.Client(base_url=public_pages.origin, headers={"Accept-Encoding": "gzip"}, timeout=60) as client:
        for file in (f"{name}.html", "page.css", "page.js", f"{name}.light.json", PLOTLY):
            with client.stream("GET", f"/{file}") as response:
                assert response.status_code == 200
                count += sum(map(len, response.iter_raw()))
    return count


def test_fifty_visitors_at_once_are_served(public_pages: PublicPages, record_property):
    """Each has everything for the first chart, and the process stays under 600 MB."""
    record_property("tried", VISITORS)
    with ThreadPoolExecutor(VISITORS) as pool:
        names = [CHARTS[number % len(CHARTS)] for number in range(VISITORS)]
        sizes = list(pool.map(lambda name: first_chart_bytes(public_pages, name), names))
    assert min(sizes) > 1_000_000  # plotly's script alone
    assert public_pages.memory_mb() < MEMORY_MB
