"""A question to the oracle: nine votes as they arrive, their consensus, and the voters who decided it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import closing
from typing import Any

import pandas as pd
from ipywidgets import Button, HBox, IntProgress, Label, Layout, Text, Widget

from notebooks.widgets import frames
from notebooks.widgets.base.chart_panel import SET_KEY, ChartPanel
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.wording import Document
from notebooks.widgets.oracle.vote_traces import VoteTraces
from notebooks.widgets.oracle.votes import count, extended, facts, opened, other_readings, price_range, suggested
from service.client import ClientError, Unauthorized

EXAMPLE = "Will Bitcoin close above 60000 USD at the end of this month?"
CLOSING_S = 1.0  # closing does not wait for a slow voter: the thread ends at the next vote


class OraclePanel(ChartPanel):
    """Ask a question and watch the voters answer: type it and press Enter, or call `panel.ask(question)`.

    A question uses one of the key's daily calls, so the panel asks nothing by itself.
    """

    TITLE = "a question to the oracle"
    FILE = "ninefold-oracle"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._inquiry: Document | None = None  # not answered completely
        self._quota: str | None = None
        self._thread: threading.Thread | None = None
        super().__init__(*arguments, **options)
        self._set_status("Ask a question about crypto or markets. It uses one of the key's daily calls.")

    def controls(self) -> Iterable[Widget]:
        self.question = Text(placeholder=EXAMPLE, layout=Layout(width="520px"))
        self.button = Button(description="Ask", button_style="primary", layout=Layout(width="60px"))
        # Enter; an observer of the value would also ask, and be charged, when the field loses the focus.
        self.question.on_msg(lambda _text, message, _buffers: message.get("event") == "submit" and self._submit())
        self.button.on_click(self._submit)
        return self.question, self.button

    def body(self) -> Iterable[Widget]:
        self.progress = IntProgress(min=0, max=9, layout=Layout(width="220px"))
        self.counted = Label()
        return HBox([self.progress, self.counted]), self.figure.widget, self.detail

    def new_figure(self) -> Figure:
        figure = Figure()
        self.votes = VoteTraces(figure, self.pick)
        return figure

    def ask(self, question: str, *, wait: bool = False) -> None:
        """Ask `question`; `wait` returns when it is answered or refused. Raises RuntimeError during another one."""
        if self.is_busy:
            raise RuntimeError("One question at a time: the previous question is still being answered.")
        if not question.strip():
            self._set_status("Write a question first.", is_alarm=True)
            return
        self.question.value = question
        self.button.disabled = True
        self._set_status("Asking …")
        self._thread = threading.Thread(target=self._run, args=(question,), name="oracle", daemon=True)
        self._thread.start()
        if wait:
            self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether a question is being answered."""
        return self._thread is not None and self._thread.is_alive()

    def close(self) -> None:
        """Leave the stream of an unanswered question, and remove the panel from the page."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(timeout=CLOSING_S)
        super().close()

    def redraw(self, _change: Any = None) -> None:
        with self._lock:
            if self._inquiry is None:
                super().redraw()
                return
            with self.figure.changing():
                self.draw(self._inquiry)
            self._count(self._inquiry)

    def pick(self, voter: str) -> None:
        """Show the vote of a voter below the chart."""
        with self._lock:
            self.detail.value = facts(self._inquiry or self.document, voter)

    def frame(self, document: Document) -> pd.DataFrame:
        return frames.oracle_votes(document)

    def note(self, document: Document) -> str:
        usd = sum(vote["usd"] or 0 for vote in document["votes"].values())
        calls = "none, the answer was cached" if document["cached"] else "one call"
        models = f", {usd:.6f} USD for language models" if usd else ""
        cost = f"cost: {calls}{models}"
        return " · ".join(filter(None, [price_range(document), cost, self._quota, other_readings(document)]))

    def draw(self, document: Document) -> None:
        self.votes.draw(document, self.palette)

    def _run(self, question: str) -> None:
        with self.reporting_faults():
            self._follow(question)
        with self._lock:
            self.button.disabled = False

    def _follow(self, question: str) -> None:
        """Draw each vote as it arrives; a stream that breaks off leaves the last answer."""
        with closing(self.client.ask_stream(question)) as events:
            for event in events:
                if self._closing.is_set():
                    return
                with self._lock:
                    self._take(event)
        remaining = self.client.usage()["quota"]["remaining"]
        with self._lock:
            self._quota = f"{remaining:,} of the key's daily calls left"
            self.redraw()

    def _take(self, event: Document) -> None:
        if self._inquiry is None or event["event"] == "question":
            self.detail.value = ""
            self._inquiry = opened(event)
        else:
            self._inquiry = extended(self._inquiry, event)
        if event["event"] == "consensus":
            self._count(self._inquiry)
            self.document, self._inquiry, self.fault = self._inquiry, None, None
        self.redraw()

    def _fault_text(self, fault: ClientError) -> str:
        """Why there is no answer; draws the last answer again."""
        self._inquiry = None
        if self.document is None:
            with self.figure.changing():
                self.votes.clear()
        self.redraw()
        self.counted.value = "not answered"
        note = "" if self.document is None else " The last answer is shown below."
        key = SET_KEY if isinstance(fault, Unauthorized) else ""
        return f"Not answered: {fault}{key}{suggested(fault)}{note}"

    def _count(self, inquiry: Document) -> None:
        self.progress.value, self.progress.max = count(inquiry)
        votes, total = len(inquiry["votes"]), self.progress.max
        abstentions = f", {len(inquiry['abstained'])} abstained" if inquiry["abstained"] else ""
        self.counted.value = f"{votes} of {total} have voted{abstentions}"

    def _submit(self, _button: Any = None) -> None:
        if not self.is_busy:
            self.ask(self.question.value)
