"""Why what follows from prices is not there yet, and how long it takes."""

from __future__ import annotations

from service.api.services import Services
from service.errors import HistoryArriving, ServiceUnavailable
from service.forecasting.densities.fitting import LEAST_DAYS
from service.forecasting.voters.context import Knowledge
from service.market.assets import ASSETS
from service.market.coverage import FIRST_GUESS_S, MAKING_S, has_arrived
from service.market.instants import HOUR
from service.store import coverage

RETRY_S = 2  # a first start publishes most documents within seconds
ARRIVING = "The price history is arriving: about {seconds} s left."
MAKING = "The price history is here; the first forecasts are being made from it."
FAILING = "The price history cannot be completed: {reason}."
TOO_SHORT = "The voters need {needed} days of hourly prices; {days:.0f} are stored, and no source has more."
NOT_YET = "Not available yet: the job that publishes it has not finished for the first time."


def is_there(services: Services, latest: Knowledge) -> bool:
    """Whether the live world has what a question needs: fits, and no history that is still arriving."""
    with services.database.reading() as db:
        stored = coverage.histories(db, ASSETS, services.step, services.clock.at(services.now()))
    return latest.fits is not None and has_arrived(stored)


def not_yet(services: Services) -> ServiceUnavailable:
    """The reason why a document or an answer is not there yet, to be raised."""
    with services.database.reading() as db:
        now = services.clock.at(services.now())
        stored = coverage.histories(db, ASSETS, services.step, now).values()
    if services.clock.world != "live":
        return ServiceUnavailable(NOT_YET, retry_after_s=RETRY_S)
    arriving = [history.seconds_left for history in stored if history.state == "arriving"]
    if arriving or not stored:
        seconds = max(arriving, default=FIRST_GUESS_S + MAKING_S)
        return HistoryArriving(ARRIVING.format(seconds=seconds), retry_after_s=seconds)
    longest = max((history.days for history in stored if history.state == "complete"), default=None)
    if longest is not None and longest < LEAST_DAYS:
        return ServiceUnavailable(TOO_SHORT.format(days=longest, needed=LEAST_DAYS), retry_after_s=HOUR)
    if longest is None:
        reason = next((history.detail for history in stored if history.state == "failing"), "no source has any asset")
        return ServiceUnavailable(FAILING.format(reason=reason), retry_after_s=30)
    return ServiceUnavailable(MAKING, retry_after_s=MAKING_S // 2)
