"""Bars from the folder BARS_DIR, whose files the operator appends to while the service runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from service.config import SettingsError
from service.market.bars import check, resample
from service.market.instants import MINUTE
from service.sources.feeds.csv_bars import commonest_spacing, read_rows
from service.sources.feeds.exchange_client import ExchangeResponse, Request

LONGEST_STEP_S = 5 * MINUTE


class BarFolder:
    """Answers as an exchange would, from `silver.csv` and so on; a file is read again once it has changed."""

    name = "BARS_DIR"
    clock = None

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[tuple[int, int], np.ndarray]] = {}

    def ask(self, request: Request, since: int, until: int, seconds: float) -> ExchangeResponse:  # noqa: ARG002
        """As `ExchangeClient.ask`: the rows of the asset's file, as bars of the length that was asked for."""
        file = self._folder / f"{request.asset}.csv"
        if not file.is_file():
            return ExchangeResponse()
        source = f"{file.name} in {self.name}"
        try:
            rows = self._rows(request.asset, file)
        except (OSError, SettingsError) as error:
            return ExchangeResponse(source=source, fault=getattr(error, "detail", str(error)))
        spacing = commonest_spacing(rows[:, 0])
        if not spacing or LONGEST_STEP_S % spacing:
            return ExchangeResponse(source=source, fault=f"{file.name} needs bars of five minutes or a part of them")
        if spacing == request.step:  # with what is wrong in them, which the feed reports
            return ExchangeResponse(rows[(rows[:, 0] >= since) & (rows[:, 0] < until)].tolist(), source)
        bars = resample(check(rows[(rows[:, 0] >= since) & (rows[:, 0] < until)], spacing)[0], request.step)
        return ExchangeResponse([list(row) for row in bars.rows()], source)

    def list_coins(self, seconds: float) -> tuple[frozenset[str], str]:  # noqa: ARG002
        """As `ExchangeClient.list_coins`: a folder has no other coins."""
        return frozenset(), ""

    def _rows(self, asset: str, file: Path) -> np.ndarray:
        """The rows of a file; a last line that is still being written is left out."""
        status = file.stat()
        version = status.st_mtime_ns, status.st_size
        if self._read.get(asset, (None,))[0] != version:
            content = file.read_bytes()
            self._read[asset] = version, read_rows(file.name, content[: content.rfind(b"\n") + 1])
        return self._read[asset][1]
