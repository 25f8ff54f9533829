"""The documents of `service/docs` as pages below /docs, and what an agent reads first."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

from flask import Blueprint, Response, request
from markdown_it import MarkdownIt

from service.api.docs import HOUR_S, static
from service.api.home import POLICY
from service.api.responses import document
from service.errors import ResourceNotFound
from service.store.snapshots import Snapshot, make_snapshot

handbook = Blueprint("handbook", __name__)

SERVICE = Path(__file__).parents[1]
# By the names of their pages, in the order of their links.
NAMES = ("questions", "api", "policy", "changes", "record", "scoring", "worlds", "models", "options", "operations")
NAMES += ("exchanges",)
PAGES = {name: SERVICE / "docs" / f"{name}.md" for name in NAMES} | {"architecture": SERVICE / "README.md"}
FRAME = (SERVICE / "api" / "static" / "document.html").read_text(encoding="utf-8")


@handbook.get("/docs/<name>")
def text_page(name: str) -> Response:
    """A document as a page. It is not part of the API, so the OpenAPI document does not list it."""
    name = name.removesuffix(".md")
    if name not in PAGES:
        raise ResourceNotFound(f"There is no such document. There are: {', '.join(PAGES)}.")
    response = document(_page(name), max_age=HOUR_S, media="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = POLICY
    return response


@handbook.get("/llms.txt", endpoint="llms")
@handbook.get("/skill.md", endpoint="skill")
def text() -> Response:
    """What an agent reads first, as text: a list of what there is, and ten steps from a key to a score."""
    return document(static(SERVICE / "docs" / request.path[1:]), max_age=HOUR_S, media="text/markdown; charset=utf-8")


@cache
def _page(name: str) -> Snapshot:
    """The page of a document, written for the first reader and kept."""
    text = re.sub(r"<!--.*?-->\n", "", PAGES[name].read_text(encoding="utf-8"))
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", anchor(content.content))
    links = [f'<a href="/docs/{other}"{" aria-current=page" if other == name else ""}>{other}</a>' for other in PAGES]
    title = escape(text.splitlines()[0].removeprefix("# "))
    body = markdown.renderer.render(tokens, markdown.options, {})
    html = FRAME.format(title=title, links="".join([*links, '<a href="/docs">endpoints</a>']), text=body)
    return make_snapshot(name, 0, html.encode())


def anchor(heading: str) -> str:
    """The name of a heading in an address, as GitHub has it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
