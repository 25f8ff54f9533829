"""The inputs of the voters at each committed vote as a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import INSTANT, NUMBER, TEXT, WORLD, Document, FrameSchema, Pages, pages_of

STATE = ("spot", "history_days", "fast", "slow", "level")
FEATURES = FrameSchema(
    {"voted_at": INSTANT},
    {"hash": TEXT, "asset": TEXT, "feature": TEXT, "value": NUMBER, "world": WORLD},
)


def features(source: Pages) -> pd.DataFrame:
    """The inputs of the voters at each committed vote, in long form.

    Parameters
    ----------
    source : a page of `client.features()`, or several pages; `Archive.features` downloads all of them

    Returns
    -------
    One row per `hash`, `asset` and `feature`, index `voted_at`, UTC, the oldest first. `hash` is the `features` of the
    markets that were voted on from these inputs. The value of `spot` is USD, that of `history_days` in days; the others
    have no unit. It is missing where history was too short.
    """
    return FEATURES.frame({**row, "world": page["world"]} for page in pages_of(source) for row in _rows(page))


def _rows(page: Document) -> Iterator[dict[str, Any]]:
    for row in page["rows"]:
        for asset, context in row["inputs"]["contexts"].items():
            values = {name: context[name] for name in STATE} | context["inputs"] | context["variance"]
            for feature, value in values.items():
                yield {**row, "asset": asset, "feature": feature, "value": value}
