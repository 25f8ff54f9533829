"""Take the pictures of the README from a service of its own: `make gallery`."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.processes import ROOT, free_port, running, wait_until_ready

FOLDER = ROOT / ".readme"
COLOURS = 96
# Each picture: its view of the home page, and its size in pixels.
PICTURES = {
    "home": ("", 1180, 1290),
    "forecast": ("forecasts/btc", 900, 640),
    "accuracy": ("accuracy", 900, 760),
}
CANVASES = "() => [...document.querySelectorAll('main .plot')].every(plot => plot.querySelector('canvas'))"
NOTHING_LOADS = "() => ![...document.querySelectorAll('main p')].some(row => row.textContent.startsWith('Loading'))"


def main() -> None:
    """Start a service in the simulated world, wait for its record, and write each picture."""
    with tempfile.TemporaryDirectory() as place:
        folder, port = Path(place), free_port()
        options = {"WORLD": "simulated", "PORT": str(port), "DATA_DIR": str(folder / "var")}
        with running([sys.executable, "app.py"], folder / "log", **options) as process:
            for path in ("/readyz", "/api/predictions/ai-vs-market", "/api/v1/markets", "/api/apex/status"):
                wait_until_ready(port, process, folder / "log", path)
            key = httpx.post(f"http://127.0.0.1:{port}/api/v1/register", json={"email": "you@example.com"}).json()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                for name, (view, width, height) in PICTURES.items():
                    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-US")
                    context.add_init_script(f"localStorage.setItem('ninefold-key', '{key['api_key']}')")
                    page = context.new_page()
                    page.goto(f"http://127.0.0.1:{port}/#/{view}")
                    _write(page, FOLDER / f"{name}.png", asks=not view)
                    context.close()


def _write(page: Page, file: Path, *, asks: bool) -> None:
    page.wait_for_function(NOTHING_LOADS)
    if asks:
        page.get_by_label("Your question").fill("Will Bitcoin rise more than 5% this month?")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_text("This is not investment advice.").first.wait_for()
    page.wait_for_function(CANVASES)
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS).save(file, optimize=True)


if __name__ == "__main__":
    main()
