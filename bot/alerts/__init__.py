"""The watcher: each pass checks the service for events and queues alerts for the subscribers; delivery sends them.

A check stores the document it saw and the alerts it causes in one transaction, and an alert is marked before it is
sent: it is sent once, also across a restart or with two watchers. If the service is down, the next pass checks again.
"""

from __future__ import annotations

import logging
from datetime import datetime

from bot.alerts.follows import check_answers, check_markets, check_prices
from bot.alerts.subscriptions import check_consensus, check_digests, check_weekly
from bot.service import Service
from bot.store import Store
from service.client import ClientError

LOG = logging.getLogger(__name__)

CHECKS = (check_prices, check_markets, check_answers, check_consensus, check_digests, check_weekly)


async def watch(service: Service, store: Store, now: datetime) -> None:
    """One pass at the aware instant `now`; a failed check is logged and does not stop the others."""
    for check in CHECKS:
        try:
            await check(service, store, now)
        except ClientError as error:
            LOG.info("service unavailable, will retry: %s", error)
        except Exception:
            LOG.exception("a check for alerts failed")
