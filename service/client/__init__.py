"""The API as a Python object: one method per endpoint, one family of errors (`service.client.errors`).

Front ends import this package and nothing else of the service. `AsyncClient` has the methods of `Client` for asyncio.
"""

import tomllib
from pathlib import Path

from service.client.client import MINUTE_LIMIT_S, AsyncClient, Client
from service.client.errors import (
    BadRequest,
    ClientError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    HistoryPending,
    NotFound,
    ProofFailed,
    RateLimited,
    Refused,
    ServerFault,
    TimedOut,
    Unauthorized,
    Unavailable,
    WebhookInvalid,
)
from service.client.streams import verify_webhook

# The names of the assets by key.
ASSETS: dict[str, str] = {
    key: table["name"]
    for key, table in tomllib.loads((Path(__file__).parents[1] / "market" / "assets.toml").read_text("utf-8")).items()
}

__all__ = [
    "ASSETS",
    "MINUTE_LIMIT_S",
    "AsyncClient",
    "BadRequest",
    "Client",
    "ClientError",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "HistoryPending",
    "NotFound",
    "ProofFailed",
    "RateLimited",
    "Refused",
    "ServerFault",
    "TimedOut",
    "Unauthorized",
    "Unavailable",
    "WebhookInvalid",
    "verify_webhook",
]
