"""Updates that cannot be decoded, such as those of a newer Bot API, are skipped: otherwise they would block polling."""

from __future__ import annotations

import json
import logging
from typing import Any

from telegram import Update
from telegram.request import BaseRequest

LOG = logging.getLogger(__name__)


class SkippingRequest(BaseRequest):
    """A connection for getUpdates: what cannot be decoded arrives as an update without content, which is confirmed."""

    def __init__(self, request: BaseRequest) -> None:
        self._request = request

    @property
    def read_timeout(self) -> float | None:
        return self._request.read_timeout

    async def initialize(self) -> None:
        await self._request.initialize()

    async def shutdown(self) -> None:
        await self._request.shutdown()

    async def do_request(self, url: str, *values: Any, **named: Any) -> tuple[int, bytes]:
        status, body = await self._request.do_request(url, *values, **named)
        return status, _decodable(body) if status == 200 and url.endswith("/getUpdates") else body


def _decodable(body: bytes) -> bytes:
    document = json.loads(body)
    document["result"] = [_skipped_if_undecodable(update) for update in document["result"]]
    return json.dumps(document).encode()


def _skipped_if_undecodable(update: dict[str, Any]) -> dict[str, Any]:
    try:
        Update.de_json(update, None)
    except Exception as error:
        LOG.error("update %s cannot be decoded and is skipped: %r", update["update_id"], error)
        return {"update_id": update["update_id"]}
    return update
