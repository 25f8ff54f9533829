"""`python -m tests.seeded_worlds FOLDER FIRST LAST NUDGE`: a service that lives from tick to tick until it is killed.

The clock stands at tick k, `NUDGE` seconds late; the number of every tick that was worked is printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from service import logs
from tests.running_service import START, running_service

TICK_S = 300


def main(folder: Path, first: int, last: int, nudge: int) -> None:
    """Work every tick from `first` to `last`."""
    logs.configure("error")
    with running_service(folder, wall=START + first * TICK_S + nudge) as running:
        for tick in range(first, last + 1):
            running.wall = START + tick * TICK_S + nudge
            running.work()
            print(tick, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(argument) for argument in sys.argv[2:]))
