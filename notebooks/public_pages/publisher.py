"""Draws the charts of the public pages and puts them into the site, each page at the interval of its panel."""

from __future__ import annotations

import gzip
import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from notebooks.public_pages.catalogue import TOPICS, PageTopic
from notebooks.public_pages.markup import (
    HOME,
    SCRIPT,
    STYLE,
    Shown,
    chart_page,
    home_page,
    missing_page,
    style_sheet,
)
from notebooks.widgets.base.figure import CONFIG, FIT, HEIGHT, plain_text
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.base.wording import minute
from service.client import (
    Client,
    ClientError,
    ConnectionFailed,
    HistoryPending,
    NotFound,
    RateLimited,
    TimedOut,
    Unavailable,
)

log = logging.getLogger(__name__)

STATIC = Path(__file__).with_name("static")
PLOTLY = f"plotly-{get_plotlyjs_version()}.js"
NOT_FOUND = "404.html"
HTML, JSON, CSV, CSS, JAVASCRIPT = (
    f"{kind}; charset=utf-8" for kind in ("text/html", "application/json", "text/csv", "text/css", "text/javascript")
)
RETRY_S = 10.0
FIRST_S = 5.0  # what the first request of a panel may take before its page says that it is loading
LAST_ROWS = 10


class Publisher:
    """The panels of all pages over a client without a key, and the thread that refreshes them.

    `now` returns the time in UTC.
    """

    def __init__(
        self,
        site: Site,
        client: Client,
        *,
        topics: Sequence[PageTopic] = TOPICS,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._site, self._topics = site, topics
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)
        pages = [(topic, page) for topic in topics for page in topic.pages]
        self.states = {page.name: Shown(f"Loading {topic.heading} …") for topic, page in pages}
        # Each panel requests its first document by itself, all at the same time.
        self.panels: dict[str, RefreshingPanel] = {
            page.name: page.build(client, theme="light", refreshing=False, now=now) for _topic, page in pages
        }
        self._put_files()

    def start(self) -> None:
        """Publish and refresh all pages until `close`, in a thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread and the panels."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()
        for panel in self.panels.values():
            panel.close()

    def publish(self, name: str) -> None:
        """Put the page of a panel and the home page into the site, as the panel is now."""
        panel = self.panels[name]
        self.states[name] = self._put_chart(name, panel) if panel.document is not None else Shown(*status(panel))
        self._put_pages()

    def pause_s(self, name: str) -> float:
        """Seconds until the next refresh of a page; less while its last request has failed."""
        panel = self.panels[name]
        return min(RETRY_S, panel.EVERY_S) if panel.fault else panel.EVERY_S

    def _run(self) -> None:
        due = dict.fromkeys(self.panels, 0.0)
        for name, panel in self.panels.items():
            panel.wait_until_loaded(FIRST_S)
            self._try(self.publish, name)
            due[name] = time.monotonic() + self.pause_s(name)
        while not self._end.wait(max(0.0, min(due.values()) - time.monotonic())):
            name = min(due, key=lambda name: due[name])
            self.panels[name].refresh()
            self._try(self.publish, name)
            due[name] = time.monotonic() + self.pause_s(name)

    def _try(self, publish: Callable[[str], None], name: str) -> None:
        """Publish a page; an error is logged and leaves the page as it was, and the others go on."""
        try:
            publish(name)
        except Exception:
            log.exception("the page %s cannot be published", name)

    def _put_chart(self, name: str, panel: RefreshingPanel) -> Shown:
        contents = {}
        for theme in PALETTES:
            panel.theme.value = theme
            contents[theme] = panel.figure.widget.content
            self._site.put(f"{name}.{theme}.json", contents[theme], JSON)
        data = panel.table()
        self._site.put(f"{name}.csv", data.content if data else "", CSV)
        layout: Any = panel.figure.layout
        return Shown(
            *status(panel),
            conclusion=plain_text(layout.title.text or ""),
            height=layout.height or HEIGHT,
            version=sha256("".join(contents.values()).encode()).hexdigest()[:12],
            detail=panel.detail.value,
            table=last_rows(panel.frame(panel.document)),
        )

    def _put_pages(self) -> None:
        topics = self._present_topics()
        for topic in topics:
            for page in topic.pages:
                text = chart_page(topics, topic, page, self.states[page.name], PLOTLY)
                self._site.put(f"{page.name}.html", text, HTML)
        home = [(topic, self.states[topic.pages[0].name]) for topic in topics]
        self._site.put(HOME, home_page(home), HTML)
        self._site.put(NOT_FOUND, missing_page(topics), HTML)

    def _present_topics(self) -> list[PageTopic]:
        """The topics with the pages whose documents exist: not every world has every asset."""
        present = {name for name, panel in self.panels.items() if not isinstance(panel.fault, NotFound)}
        topics = [
            replace(topic, pages=tuple(page for page in topic.pages if page.name in present)) for topic in self._topics
        ]
        return [topic for topic in topics if topic.pages]

    def _put_files(self) -> None:
        """Put the files that never change into the site, and the pages before the first document."""
        self._site.put(PLOTLY, get_plotlyjs(), JAVASCRIPT, is_final=True)
        script = f"{FIT}\nconst CONFIG = {json.dumps(CONFIG)};\n{(STATIC / SCRIPT).read_text(encoding='utf-8')}"
        self._site.put(SCRIPT, script, JAVASCRIPT)
        self._site.put(STYLE, style_sheet((STATIC / STYLE).read_text(encoding="utf-8")), CSS)
        self._put_pages()


def status(panel: RefreshingPanel) -> tuple[str, bool]:
    """The status of a panel in a sentence for a visitor, and whether it reports a fault."""
    if panel.fault is None:
        text = plain_text(panel.status_line.value)
        return text, "alarm" in panel.status_line.value
    reason = _reason(panel.fault)
    if panel.document is None:
        return f"This chart is not available yet: {reason}. This page tries again by itself.", True
    since = minute(panel.header(panel.document)["as_of"])
    return f"No new data since {since}: {reason}. This page continues by itself.", True


def _reason(fault: ClientError) -> str:
    match fault:
        case ConnectionFailed() | TimedOut():
            return "the service does not respond"
        case HistoryPending(retry_after_s=int(seconds)):
            return f"the price history is arriving, about {seconds} s left"
        case Unavailable():
            return "the service has no data for it yet"
        case RateLimited():
            return "the service is busy"
    return "the service reports an error"


def last_rows(data: pd.DataFrame) -> str:
    """The last rows of a table as HTML."""
    return data.tail(LAST_ROWS).reset_index().to_html(border=0, index=False, na_rep="–", justify="left")


@dataclass(frozen=True)
class SiteFile:
    """A file as it is sent; `is_final` says that a file of this name never changes."""

    body: bytes
    gzip_body: bytes
    etag: str
    media_type: str
    is_final: bool


class Site:
    """Files by their names. A file is replaced whole: a reader in another thread sees the old one or the new one."""

    def __init__(self) -> None:
        self._files: dict[str, SiteFile] = {}

    def put(self, name: str, text: str, media_type: str, *, is_final: bool = False) -> None:
        """Add a file or replace it; an unchanged file keeps its ETag and is not compressed again."""
        body = text.encode()
        etag = sha256(body).hexdigest()[:20]
        last = self._files.get(name)
        if last is None or last.etag != etag:
            self._files[name] = SiteFile(body, gzip.compress(body, mtime=0), etag, media_type, is_final)

    def find(self, name: str) -> SiteFile | None:
        """The file with a name, or None."""
        return self._files.get(name)
