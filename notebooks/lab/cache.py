"""Downloaded frames as Parquet files on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from notebooks.widgets.frames.schema import FrameSchema, typed


class ParquetCache:
    """Frames by name in a folder; a file that cannot be read counts as absent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str, schema: FrameSchema) -> pd.DataFrame:
        """The frame of a name with the dtypes of `schema`; without rows where there is no file of this schema."""
        try:
            stored = pd.read_parquet(self._file(name))
        except (OSError, ValueError):  # no file, or half of one
            return schema.frame([])
        if list(stored.columns) != list(schema.dtypes):
            return schema.frame([])
        columns = {column: _column(stored.loc[:, column], dtype) for column, dtype in schema.dtypes.items()}
        return pd.DataFrame(columns).set_index(list(schema.index))

    def write(self, name: str, frame: pd.DataFrame) -> None:
        """Keep a frame under a name; another process sees the old file or the new one."""
        file = self._file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{os.getpid()}")
        words = frame.select_dtypes("category").columns
        frame.astype(dict.fromkeys(words, "str")).reset_index().to_parquet(unfinished, index=False)
        unfinished.replace(file)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"


def _column(values: pd.Series, dtype: str | pd.CategoricalDtype) -> pd.Series:
    """A stored column as the schema declares it; closed vocabularies are stored as text."""
    if isinstance(dtype, pd.CategoricalDtype):
        return typed(values.astype(object).where(values.notna(), None).tolist(), dtype)
    return values.astype(dtype)
