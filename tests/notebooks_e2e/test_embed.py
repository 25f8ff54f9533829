"""The embed kit in a page of another origin; it stands here because it needs the same browser as the notebooks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask, Response, request
from playwright.sync_api import Browser, FrameLocator, Page

from service.api.services import KEPT_S
from tests.notebooks_e2e.pages import ARTIFACTS
from tests.notebooks_e2e.programs import opened
from tests.processes import wait_until
from tests.running_service import RunningService, copied, listening, running_service

pytestmark = pytest.mark.slow

# The statuses of each path, in the order of the responses.
Seen = dict[str, list[int]]
HIGHER = "document.documentElement.scrollHeight > document.documentElement.clientHeight"


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
    prices = {price["asset"]: price for price in running.client.get("/api/v1/prices").json["prices"]}
    with framed(browser, f"{blog}/eth/light") as (_, frame):
        assert frame.locator("#name").inner_text() == prices["eth"]["name"]
        figure = float(frame.locator("#price").inner_text().replace(",", ""))
        assert figure == pytest.approx(prices["eth"]["price"], rel=1e-4)
        assert frame.locator("#range").is_visible()
        assert frame.locator("#odds").is_hidden()


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


def test_it_says_since_when_it_has_no_new_data(browser: Browser, blog: str):
    with framed(browser, f"{blog}/btc/light") as (page, frame):
        page.route("**/api/**", lambda route: route.abort())
        page.clock.fast_forward(31_000)
        frame.get_by_text("No new data since").wait_for()
        assert frame.locator("#price").inner_text() != "…"
