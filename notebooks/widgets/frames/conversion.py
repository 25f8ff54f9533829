"""Frames for users of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import polars  # pyright: ignore[reportMissingImports]  # installed by those who want it


def as_polars(frame: pd.DataFrame) -> polars.DataFrame:
    """A frame as one of polars; ImportError where polars or pyarrow is not installed.

    Parameters
    ----------
    frame : any frame of this package

    Returns
    -------
    The same rows; the index `id`, `time` and so on becomes the first columns, because polars has no index.
    """
    import polars  # pyright: ignore[reportMissingImports]  # as above

    return polars.from_pandas(frame.reset_index())
