"""What the bot says unasked: one pass looks at what is new, puts down who is to hear of it, and sends what waits.

What was seen and what is to be told of it are put down in one transaction, and an alert is taken before it is sent: it
is sent once, also across a restart or with two watchers. A service that is down is looked at again at the next pass.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from datetime import datetime
from typing import TYPE_CHECKING

from telegram import Bot

from bot.alerts.challenges import look_at_challenges
from bot.alerts.digests import look_at_digests
from bot.alerts.flips import look_at_consensus
from bot.alerts.lanes import look_at_lanes
from bot.alerts.sending import send_waiting
from bot.alerts.snapshots import look_at_hospital
from bot.store import Store
from service.client import ClientError

if TYPE_CHECKING:
    from bot.service import Service

LOG = logging.getLogger(__name__)

LOOKS = (look_at_challenges, look_at_consensus, look_at_lanes, look_at_hospital, look_at_digests)


async def watch(bot: Bot, service: Service, store: Store, now: datetime) -> None:
    """One pass at the aware instant `now`; raises nothing that another pass could do better."""
    for look in LOOKS:
        await _undisturbed(look(service, store, now))
    await send_waiting(bot, store)


async def _undisturbed(looking: Awaitable[None]) -> None:
    """One look; what is wrong with it keeps nobody from the others."""
    try:
        await looking
    except ClientError as error:
        LOG.info("looked in vain: %s", error)
    except Exception:
        LOG.exception("a look at the service failed")
