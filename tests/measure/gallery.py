"""Take the pictures of the READMEs from a service of its own: `make gallery`.

Those of the home page, and every panel of the workbench at three widths of its page, light and dark, on one sheet each.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from notebooks.widgets.base.theme import PALETTES
from tests.notebooks_e2e.pages import CELLS, IMPORTS
from tests.notebooks_e2e.programs import SIZE, opened, workbench
from tests.processes import ROOT, free_port, running, wait_until_ready

FOLDER = ROOT / ".readme"
COLOURS = 256
# Each picture: its view of the home page, and its size in pixels.
PICTURES = {
    "home": ("", 1180, 1290),
    "forecast": ("forecasts/btc", 900, 612),
    "accuracy": ("accuracy", 900, 760),
}
CANVASES = "() => [...document.querySelectorAll('main .plot')].every(plot => plot.querySelector('canvas'))"
NOTHING_LOADS = "() => ![...document.querySelectorAll('main p')].some(row => row.textContent.startsWith('Loading'))"
COLUMNS = {360: 5, 900: 2, 1440: 2}  # of the sheet with the panels on a page of this width
GAP = 16  # pixels between two panels of a sheet


def main() -> None:
    """Start a service in the simulated world, wait for its record, and write each picture."""
    with tempfile.TemporaryDirectory() as place:
        folder, port = Path(place), free_port()
        data, address = str(folder / "var"), f"http://127.0.0.1:{port}"
        options = {"WORLD": "simulated", "PORT": str(port), "DATA_DIR": data}
        with running([sys.executable, "app.py"], folder / "log", **options) as process:
            for path in ("/readyz", "/api/predictions/ai-vs-market", "/api/v1/markets", "/api/apex/status"):
                wait_until_ready(port, process, folder / "log", path)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                _write_views(browser, address)
                _write_panels(browser, folder, DATA_DIR=data, ORACLE_URL=address)


def _write_views(browser: Browser, address: str) -> None:
    key = httpx.post(f"{address}/api/v1/register", json={"email": "you@example.com"}).json()
    for name, (view, width, height) in PICTURES.items():
        context = browser.new_context(viewport={"width": width, "height": height}, locale="en-US")
        context.add_init_script(f"localStorage.setItem('ninefold-key', '{key['api_key']}')")
        page = context.new_page()
        page.goto(f"{address}/#/{view}")
        _write(_view(page, asks=not view), name)
        context.close()


def _view(page: Page, *, asks: bool) -> Image.Image:
    page.wait_for_function(NOTHING_LOADS)
    if asks:
        page.get_by_label("Your question").fill("Will Bitcoin rise more than 5% this month?")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_text("This is not investment advice.").first.wait_for()
    page.wait_for_function(CANVASES)
    return Image.open(io.BytesIO(page.screenshot()))


def _write_panels(browser: Browser, folder: Path, **environment: str) -> None:
    """Run one notebook of all panels; `lanes` is the first of them on a page of the usual width."""
    with workbench(folder, **environment) as lab, opened(browser) as page:
        page.page.goto(lab.write("panels", IMPORTS, *CELLS.values()))
        page.run_all()
        panels = [page.panel(place) for place in range(len(CELLS))]
        panels[-1].box.wait_for(state="attached")
        page.hide_files()
        for theme in reversed(PALETTES):
            for panel in panels:
                panel.box.scroll_into_view_if_needed()
                panel.count_traces()
                panel.select_theme(theme)
            for width in (*COLUMNS, SIZE["width"]):
                page.page.set_viewport_size({**SIZE, "width": width})
                pictures = []
                page.page.mouse.move(0, 0)  # over a chart it would show the buttons
                for panel in panels:
                    panel.box.scroll_into_view_if_needed()
                    panel.wait_until_fitted()
                    pictures.append(Image.open(io.BytesIO(panel.picture())))
                if width in COLUMNS:
                    _write(_sheet(pictures, COLUMNS[width]), f"panels-{width}-{theme}")
                elif theme == "light":
                    _write(pictures[0], "lanes")


def _sheet(pictures: Sequence[Image.Image], columns: int) -> Image.Image:
    """The pictures on one sheet, each below the one that ends highest."""
    width = max(picture.width for picture in pictures)
    ends, places = [0] * columns, []
    for picture in pictures:
        column = ends.index(min(ends))
        places.append((column * (width + GAP), ends[column]))
        ends[column] += picture.height + GAP
    sheet = Image.new("RGB", (columns * (width + GAP) - GAP, max(ends) - GAP), "white")
    for picture, place in zip(pictures, places, strict=True):
        sheet.paste(picture, place)
    return sheet


def _write(picture: Image.Image, name: str) -> None:
    palette = picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS)
    palette.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
