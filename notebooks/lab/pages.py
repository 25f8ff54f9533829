"""All pages of an operation, with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from tqdm.auto import tqdm

Page = dict[str, Any]
Item = TypeVar("Item")
SHOWN_AFTER_S = 1.0


def with_progress(items: Sequence[Item], label: str, *, unit: str = "", progress: bool = True) -> Iterable[Item]:
    """The items, with a bar where they take longer than a second; an interrupt of the kernel ends the loop."""
    return tqdm(items, desc=label, unit=f" {unit}", delay=SHOWN_AFTER_S, disable=not progress, leave=False)


def pages(operation: Callable[[Any], Page], label: str, first: Any = None, *, progress: bool = True) -> Iterator[Page]:
    """Every page of an operation, from the one at `first` on; `operation` gets the `next` of the page before.

    A bar with `label` appears when this takes longer than a second.
    """
    at = first
    with tqdm(desc=label, unit=" rows", delay=SHOWN_AFTER_S, disable=not progress, leave=False) as bar:
        while True:
            page = operation(at)
            bar.update(page["count"])
            yield page
            at = page["next"]
            if at is None:
                return
