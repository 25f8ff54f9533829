"""A question to the oracle: nine votes as they arrive, the consensus of them, and who decided it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

import pandas as pd
from ipywidgets import Button, HBox, IntProgress, Label, Layout, Text, Widget

from notebooks.widgets import frames
from notebooks.widgets.chart import Chart
from notebooks.widgets.figure import Figure
from notebooks.widgets.oracle_chart import VotesChart
from notebooks.widgets.oracle_votes import begun, count, facts, heard
from service.client import ClientError

Inquiry = Mapping[str, Any]

EXAMPLE = "Will Bitcoin close above 60000 USD at the end of this month?"
LEAVING_S = 1.0  # a voter that thinks is not waited for: its thread ends with the next vote


class OraclePanel(Chart):
    """Ask a question and watch the voters answer: type it and press Enter, or `panel.ask(question)`.

    A question costs one of the key's calls, so that nothing is asked by itself.
    """

    TITLE = "a question to the oracle"
    FILE = "ninefold-oracle"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._open: Inquiry | None = None
        self._left: str | None = None
        self._thread: threading.Thread | None = None
        super().__init__(*arguments, **options)
        self._say("Ask something about crypto or markets. A question costs one of the key's calls today.")

    def controls(self) -> Iterable[Widget]:
        self.question = Text(placeholder=EXAMPLE, layout=Layout(width="520px"))
        self.button = Button(description="Ask", button_style="primary", layout=Layout(width="60px"))
        # Enter; observing the value would ask, and pay, also when the field is left.
        self.question.on_msg(lambda _text, said, _buffers: said.get("event") == "submit" and self._pressed())
        self.button.on_click(self._pressed)
        return self.question, self.button

    def body(self) -> Iterable[Widget]:
        self.progress = IntProgress(min=0, max=9, layout=Layout(width="220px"))
        self.counted = Label()
        return HBox([self.progress, self.counted]), self.figure, self.detail

    def figure_of(self) -> Figure:
        figure = Figure()
        self.votes = VotesChart(figure, self.pick)
        return figure

    def ask(self, question: str, *, wait: bool = False) -> None:
        """Ask `question`; with `wait` until it is answered or refused. Raises RuntimeError while another is open."""
        if self.asking:
            raise RuntimeError("One question at a time: the last one is still being answered.")
        if not question.strip():
            self._say("Write a question first.", alarm=True)
            return
        self.question.value = question
        self.button.disabled = True
        self._say("Asking …")
        self._thread = threading.Thread(target=self._run, args=(question,), name="oracle", daemon=True)
        self._thread.start()
        if wait:
            self._thread.join()

    @property
    def asking(self) -> bool:
        """Whether a question is open."""
        return self._thread is not None and self._thread.is_alive()

    def close(self) -> None:
        """Leave an open question, and take the panel off the page."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout=LEAVING_S)
        super().close()

    def redraw(self) -> None:
        with self._lock:
            if self._open is None:
                super().redraw()
                return
            with self.figure.changing():
                self.draw(self._open)
            self._count(self._open)

    def pick(self, voter: str) -> None:
        """Tell below the chart what a voter said."""
        with self._lock:
            self.detail.value = facts(self._open or self.document, voter)

    def frame(self, document: Inquiry) -> pd.DataFrame:
        return frames.oracle_votes(document)

    def noted(self, document: Inquiry) -> str:
        paid = sum(vote["usd"] or 0 for vote in document["votes"].values())
        calls = "answered before, not counted" if document["cached"] else "one call"
        models = f", models were paid {paid:.6f} USD" if paid else ""
        return " · ".join(filter(None, [f"cost: {calls}{models}", self._left]))

    def draw(self, document: Inquiry) -> None:
        self.votes.draw(document, self.look)

    def _run(self, question: str) -> None:
        with self.telling():
            self._listen(question)
        with self._lock:
            self.button.disabled = False

    def _listen(self, question: str) -> None:
        """Draw every vote as it comes; what breaks off leaves the last answer."""
        with closing(self.client.ask_stream(question)) as events:
            for event in events:
                if self._closing.is_set():
                    return
                with self._lock:
                    self._take(event)
        remaining = self.client.usage()["quota"]["remaining"]
        with self._lock:
            self._left = f"{remaining:,} of the key's calls left today"
            self.redraw()

    def _take(self, event: Mapping[str, Any]) -> None:
        self.detail.value = "" if event["event"] == "question" else self.detail.value
        self._open = begun(event) if event["event"] == "question" else heard(self._open, event)
        if event["event"] == "consensus":
            self._count(self._open)
            self.document, self._open, self.fault = self._open, None, None
        self.redraw()

    def _faulty(self, fault: ClientError) -> str:
        """Why there is no answer; the last one is put back."""
        self._open = None
        if self.document is None:
            with self.figure.changing():
                self.votes.wipe()
        self.redraw()
        self.counted.value = "not answered"
        kept = "" if self.document is None else " Below is the last answer."
        return f"{super()._faulty(fault)}{kept}"

    def _count(self, inquiry: Inquiry) -> None:
        self.progress.value, self.progress.max = count(inquiry)
        votes, of = len(inquiry["votes"]), self.progress.max
        silent = f", {len(inquiry['abstained'])} abstained" if inquiry["abstained"] else ""
        self.counted.value = f"{votes} of {of} have voted{silent}"

    def _pressed(self, _button: Any = None) -> None:
        if not self.asking:
            self.ask(self.question.value)
