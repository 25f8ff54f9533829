"""`python -m tests.lives FOLDER FIRST LAST NUDGE`: a service that lives from tick to tick until it is killed.

The clock stands at tick k, `NUDGE` seconds late; the number of every tick that was worked is printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from service import logs
from tests.houses import START, resident

TICK_S = 300
DAYS = 100


def main(folder: Path, first: int, last: int, nudge: int) -> None:
    """Work every tick from `first` to `last`."""
    logs.configure("error")
    with resident(folder, wall=START + first * TICK_S + nudge, history_days=DAYS) as residents:
        for tick in range(first, last + 1):
            residents.wall = START + tick * TICK_S + nudge
            residents.work()
            print(tick, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(argument) for argument in sys.argv[2:]))
