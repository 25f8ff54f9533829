"""What pages without widgets show of a panel, such as GitHub's view of a saved notebook."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pandas as pd

MOST_ROWS = 10


def static_view(title: Any, status: str, data: pd.DataFrame | None) -> dict[str, str]:
    """The title of a figure with its subtitle, a status line in HTML and some rows of data, as HTML and as plain text.

    Empty without a title, which a figure gets from its first document.
    """
    if not title.text:
        return {}
    conclusion = f"<b>{title.text}</b><br>{title.subtitle.text or ''}<br>{status}"
    table = "" if data is None else data.to_html(max_rows=MOST_ROWS, show_dimensions=True, border=0)
    return {"text/html": f"<div>{conclusion}</div>{table}", "text/plain": plain_text(conclusion)}


def plain_text(html: str) -> str:
    """HTML as plain text, a line for each of its lines.

    >>> plain_text("<b>A</b> &lt; B<br>C")
    'A < B\\nC'
    """
    return unescape(re.sub(r"<[^>]*>", "", html.replace("<br>", "\n")))
