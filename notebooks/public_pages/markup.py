"""The HTML of the public pages, from what their charts show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from notebooks.public_pages.catalogue import PageTopic, PublicPage
from notebooks.widgets.base.theme import PALETTES, Palette

STYLE, SCRIPT = "page.css", "page.js"
HOME = "index.html"
TITLE = "Ninefold"
INTRODUCTION = (
    "Forecasts of crypto and metal prices, and trading on paper with them. Each page updates itself. "
    "Nothing here trades, and nothing is investment advice."
)
MISSING = (
    "Questions to the oracle, the open markets and the ranking of the strategies need a key of the service; "
    "JupyterLab shows them (<code>make lab</code>)."
)


@dataclass(frozen=True)
class Shown:
    """What a page shows: the conclusion of its chart, its status in a sentence, and HTML below the chart.

    `conclusion` is empty while there is no chart. `height` is that of the chart in pixels, `version` changes with it.
    `table` holds the last rows of its data. `is_alarm` marks a status that reports a fault.
    """

    status: str
    is_alarm: bool = False
    conclusion: str = ""
    height: int = 0
    version: str = ""
    detail: str = ""
    table: str = ""


def home_page(topics: Sequence[tuple[PageTopic, Shown]]) -> str:
    """The home page: each topic with the conclusion of its first page."""
    rows = "".join(
        f'<li><h2><a href="{topic.pages[0].name}.html">{escape(topic.heading)}</a></h2><p>{escape(topic.content)}</p>'
        f"{_conclusion(state)}{_status(state)}</li>"
        for topic, state in topics
    )
    body = f"<h1>{TITLE}</h1><p>{INTRODUCTION}</p><ul id=state class=topics>{rows}</ul><p class=quiet>{MISSING}</p>"
    return _document(TITLE, [topic for topic, _state in topics], body)


def chart_page(topics: Sequence[PageTopic], topic: PageTopic, page: PublicPage, state: Shown, plotly: str) -> str:
    """A page with its chart, which `plotly` draws, the name of the file of plotly.js; both are loaded from here."""
    others = "".join(_link(other.name, other.link, other is page) for other in topic.pages)
    links = f'<nav aria-label="{escape(topic.heading)}" class=pages>{others}</nav>' if len(topic.pages) > 1 else ""
    chart = ""
    if state.conclusion:
        data = " ".join(f'data-{theme}="{page.name}.{theme}.json"' for theme in PALETTES)
        chart = (
            f'<figure aria-label="{escape(state.conclusion)}"><div id=chart {data} data-version="{state.version}" '
            f'style="min-height:{state.height}px"></div></figure>'
            f"<noscript><p>{escape(state.conclusion)}</p><p>The chart needs JavaScript.</p></noscript>"
        )
    body = (
        f"<h1>{escape(topic.heading)}</h1><p>{escape(topic.content)}</p>{links}"
        f"<div id=state>{_status(state)}</div>{chart}<div id=more>{_detail(state)}{_data(page, state)}</div>"
    )
    scripts = f'<script defer src="{SCRIPT}"></script><script defer src="{plotly}"></script>'
    return _document(f"{topic.heading}, {page.link} · {TITLE}", topics, body, topic, scripts)


def missing_page(topics: Sequence[PageTopic]) -> str:
    """What is sent for an address without a page."""
    body = '<h1>No such page</h1><p>All pages are on <a href="./">the home page</a>.</p>'
    return _document(TITLE, topics, body)


def style_sheet(text: str) -> str:
    """The style sheet with the colours of the themes of the panels before it."""
    light, dark = (f":root {{ {_colours(PALETTES[theme])} }}" for theme in ("light", "dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n{text}"


def _colours(palette: Palette) -> str:
    names = ("paper", "ink", "quiet", "grid", "alarm")
    variables = "; ".join(f"--{name}: {getattr(palette, name)}" for name in names)
    return f"{variables}; --link: {palette.colour(0)}"


def _document(
    title: str, topics: Iterable[PageTopic], body: str, current: PageTopic | None = None, scripts: str = ""
) -> str:
    links = "".join(_link(topic.pages[0].name, topic.heading, topic is current) for topic in topics)
    scripts = scripts or f'<script defer src="{SCRIPT}"></script>'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="{STYLE}">{scripts}'
        f'</head><body><header><nav aria-label="pages"><a class=home href="./">{TITLE}</a>{links}</nav></header>'
        f"<main>{body}<p id=note class=alarm role=status></p></main></body></html>"
    )


def _link(name: str, text: str, is_current: bool) -> str:
    current = " aria-current=page" if is_current else ""
    return f'<a href="{name}.html"{current}>{escape(text)}</a>'


def _conclusion(state: Shown) -> str:
    return f"<p><b>{escape(state.conclusion)}</b></p>" if state.conclusion else ""


def _status(state: Shown) -> str:
    return f'<p class="{"alarm" if state.is_alarm else "quiet"}" role=status>{escape(state.status)}</p>'


def _detail(state: Shown) -> str:
    if not state.detail:
        return ""
    return f'<div class=table tabindex=0 role=region aria-label="details">{state.detail}</div>'


def _data(page: PublicPage, state: Shown) -> str:
    if not state.table:
        return ""
    return (
        f'<details><summary>The data</summary><p><a href="{page.name}.csv" download>Download as CSV</a>, or its last '
        f'rows:</p><div class=table tabindex=0 role=region aria-label="the last rows of the data">{state.table}</div>'
        "</details>"
    )
