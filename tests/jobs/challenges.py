"""Challenges of a running service: created, shown, and their rows of the ledger."""

from __future__ import annotations

from service.jobs import apex
from tests.jobs.track_record import rows
from tests.running_service import RunningService

NINE = {"momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "garch", "sv"}
NOON = "Will Bitcoin be above 60,000 USD at 12:00 UTC today?"
TODAY = "2026-11-21"
BEAT_S = apex.ANSWER_EVERY_S


def challenge(service: RunningService, question: str = NOON, deadline: str = TODAY, **headers: str) -> int:
    body = {"question": question, "deadline": deadline}
    answer = service.client.post("/api/challenges/create", json=body, headers=headers)
    assert answer.status_code == 200, answer.get_json()
    return answer.get_json()["number"]


def shown(service: RunningService, number: int) -> dict:
    return service.client.get(f"/api/v1/predictions/challenge-{number}").get_json()


def recorded(service: RunningService, number: int) -> list[str]:
    """The kinds of the ledger's rows about a challenge, in their order."""
    return [row.kind for row in rows(service, subject=f"challenge-{number}")]
