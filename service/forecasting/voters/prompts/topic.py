"""The prompt on a question that no price decides: the same for every seat.

Its words and its date, headlines that share words with it, and what the operator's calendar lists until the deadline.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

from service.forecasting.voters.evidence import TOPIC_NEWS_S, ScheduledEvent
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.forecasting.voters.prompts.quoting import MOST_TOKENS, fenced, quoted, rows
from service.forecasting.voters.prompts.tokens import tokens
from service.market.instants import DAY, utc
from service.questions.question import Question

MOST_EVENTS = 15
LONGEST_EVENT = 100  # characters
_DAYS = TOPIC_NEWS_S // DAY

_FOLDER = Path(__file__).parent
TOPIC_FRAME = (_FOLDER / "topic_frame.txt").read_text(encoding="utf-8").strip()
TOPIC_CASE = Template((_FOLDER / "topic_case.txt").read_text(encoding="utf-8").strip())


def topic_message(question: Question, inputs: ForecastInputs, nonce: str) -> str:
    """The message to a model; `nonce` marks where quoted texts begin and end."""
    now = inputs.state.now
    parts = {
        "now": f"{utc(now):%Y-%m-%d %H:%M}",
        "deadline": f"{question.deadline:%Y-%m-%d %H:%M}",
        "horizon": f"{question.horizon_hours:.1f} hours ({question.horizon_hours / 24:.1f} days)",
        "nonce": nonce,
        "words": fenced(question.text, nonce),
        "events": _events(inputs.evidence.events, nonce),
    }
    room = MOST_TOKENS - tokens(TOPIC_FRAME) - tokens(TOPIC_CASE.substitute(parts, headlines=""))
    stories = [story for story in inputs.evidence.topic_stories if story.published_at <= now]
    if not stories:
        headlines = f"No headline of the last {_DAYS} days that is stored shares words with the question.\n"
    else:
        headlines = quoted(f"Headlines of the last {_DAYS} days that share words with it", stories, now, nonce, room)
    return TOPIC_CASE.substitute(parts, headlines=headlines)


def _events(events: tuple[ScheduledEvent, ...], nonce: str) -> str:
    """The next events; nothing where none is listed."""
    if not events:
        return ""
    lines = (f"{utc(event.at):%Y-%m-%d %H:%M}: {fenced(event.text, nonce, LONGEST_EVENT)}" for event in events)
    return f"Scheduled by then (UTC):\n{rows(list(lines)[:MOST_EVENTS])}\n"
