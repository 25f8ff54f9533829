"""The markets and challenges of a person's own votes and forecasts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.service import Document, Service
from bot.store import OwnCall
from service.client import NotFound

CHALLENGE = "challenge-"  # how the id of a challenge begins; its number follows
MAX_SINGLE = 10  # documents that are read one by one, of those that are in neither list


async def called_markets(service: Service, calls: Sequence[OwnCall]) -> list[tuple[OwnCall, Document]]:
    """Each vote or forecast with its market or challenge, without those that are not found."""
    resolved, still_open = await asyncio.gather(service.resolved_markets(), service.predictions())
    documents = {market["id"]: market for listed in (still_open, resolved) for market in listed["markets"]}
    missing = [call.prediction_id for call in calls if call.prediction_id not in documents][:MAX_SINGLE]
    singles = await asyncio.gather(*(_document(service, prediction_id) for prediction_id in missing))
    documents |= {name: single for name, single in zip(missing, singles, strict=True) if single}
    return [(call, documents[call.prediction_id]) for call in calls if call.prediction_id in documents]


async def _document(service: Service, prediction_id: str) -> Document | None:
    try:
        if prediction_id.startswith(CHALLENGE):
            return await service.challenge(int(prediction_id.removeprefix(CHALLENGE)))
        return await service.market(prediction_id)
    except NotFound:
        return None
