"""The API as a Python object: one method per endpoint, one family of errors (`service.client.errors`).

Front ends import this package and nothing else of the service. `AsyncClient` has the methods of `Client` for asyncio.
"""

from service.client.async_client import AsyncClient
from service.client.client import Client
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
from service.client.webhooks import verify_webhook

__all__ = [
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
