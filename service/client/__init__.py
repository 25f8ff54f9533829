"""The API as a Python object: one method per endpoint, one family of errors (`service.client.errors`).

Front ends import this package and nothing else of the service. `AsyncClient` has the methods of `Client` for asyncio.
"""

import tomllib
from pathlib import Path

from service.client.client import MINUTE_LIMIT_S as MINUTE_LIMIT_S
from service.client.client import AsyncClient as AsyncClient
from service.client.client import Client as Client
from service.client.errors import BadRequest as BadRequest
from service.client.errors import ClientError as ClientError
from service.client.errors import Conflict as Conflict
from service.client.errors import ConnectionFailed as ConnectionFailed
from service.client.errors import Forbidden as Forbidden
from service.client.errors import HistoryPending as HistoryPending
from service.client.errors import NotFound as NotFound
from service.client.errors import ProofFailed as ProofFailed
from service.client.errors import RateLimited as RateLimited
from service.client.errors import Refused as Refused
from service.client.errors import ServerFault as ServerFault
from service.client.errors import TimedOut as TimedOut
from service.client.errors import Unauthorized as Unauthorized
from service.client.errors import Unavailable as Unavailable
from service.client.errors import WebhookInvalid as WebhookInvalid
from service.client.exchange import verify_webhook as verify_webhook

# The names of the assets by key.
ASSETS: dict[str, str] = {
    key: table["name"]
    for key, table in tomllib.loads((Path(__file__).parents[1] / "market" / "assets.toml").read_text("utf-8")).items()
}
