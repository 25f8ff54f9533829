"""All pages of an operation, with a progress bar; a full rate limit is waited for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from tqdm.auto import tqdm

from service.client import RateLimited

Page = dict[str, Any]
Item = TypeVar("Item")
LONGEST_WAIT_S = 90  # a limit per minute resets within it, a daily quota does not
SHOWN_AFTER_S = 1.0


def with_progress(items: Sequence[Item], label: str, *, unit: str = "", progress: bool = True) -> Iterable[Item]:
    """The items, with a bar where they take longer than a second; an interrupt of the kernel ends the loop."""
    return tqdm(items, desc=label, unit=f" {unit}", delay=SHOWN_AFTER_S, disable=not progress, leave=False)


def pages(
    operation: Callable[[Any], Page],
    label: str,
    first: Any = None,
    *,
    progress: bool = True,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Page]:
    """Every page of an operation, from the one at `first` on; `fetch` gets the `next` of the page before.

    A bar with `label` appears when this takes longer than a second. Where a limit per minute is reached the download
    goes on when it resets; RateLimited is raised for a limit that resets later.
    """
    at = first
    with tqdm(desc=label, unit=" rows", delay=SHOWN_AFTER_S, disable=not progress, leave=False) as bar:
        while True:
            page = _fetch(operation, at, sleep)
            bar.update(page["count"])
            yield page
            at = page["next"]
            if at is None:
                return


def _fetch(operation: Callable[[Any], Page], at: Any, sleep: Callable[[float], None]) -> Page:
    while True:
        try:
            return operation(at)
        except RateLimited as refusal:
            if refusal.retry_after_s is None or refusal.retry_after_s > LONGEST_WAIT_S:
                raise
            sleep(refusal.retry_after_s)
