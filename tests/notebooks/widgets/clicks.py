"""Clicks on the traces of a figure, as a browser reports them."""

from __future__ import annotations

from typing import Any


def click(trace: Any, *places: int) -> None:
    """Click on the points of a trace at `places`, or beside all points."""
    (number,) = [number for number, each in enumerate(trace.figure.data) if each is trace]
    for place in places:
        trace.figure.widget._handle_custom_msg({"trace": number, "point": place}, [])
