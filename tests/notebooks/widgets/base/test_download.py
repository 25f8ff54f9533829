"""A button that sends a file to the browser."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.widgets.base.download import DownloadButton, DownloadFile


@pytest.mark.parametrize("file", [None, DownloadFile("a.csv", "text/csv", "é\n")], ids=["nothing yet", "a file"])
def test_a_press_sends_the_file_if_there_is_one(monkeypatch, file: DownloadFile | None):
    button = DownloadButton("CSV", "download", lambda: file)
    sent: list[Any] = []
    monkeypatch.setattr(button, "send", lambda message, buffers: sent.append((message, buffers)))
    button._handle_custom_msg({"pressed": True}, [])
    assert sent == ([({"name": "a.csv", "type": "text/csv"}, ["é\n".encode()])] if file else [])
