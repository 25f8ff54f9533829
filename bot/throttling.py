"""How many updates each person sent in the last minute, so that one person cannot use up the limits that all share."""

from __future__ import annotations

from collections import defaultdict, deque
from datetime import datetime, timedelta

UPDATES = 30  # a minute for each person
WINDOW = timedelta(minutes=1)
MAX_PERSONS = 10_000  # remembered at once; then those without a recent update are forgotten


class Throttle:
    """The instants of the last updates of each person."""

    def __init__(self) -> None:
        self._instants: defaultdict[int, deque[datetime]] = defaultdict(deque)

    def excess(self, person: int, now: datetime) -> int:
        """Count an update at `now`: 0 within the limit, 1 for the first update beyond it, 2 for the others.

        Only the first update beyond the limit counts, so that the person can go on a minute after the others.
        """
        recent = self._instants[person]
        while recent and recent[0] <= now - WINDOW:
            recent.popleft()
        excess = max(len(recent) + 1 - UPDATES, 0)
        if excess < 2:
            recent.append(now)
        if len(self._instants) > MAX_PERSONS:
            self._forget(now)
        return excess

    def _forget(self, now: datetime) -> None:
        for person in [person for person, recent in self._instants.items() if recent[-1] <= now - WINDOW]:
            del self._instants[person]
