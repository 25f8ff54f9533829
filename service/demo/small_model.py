"""The server of the small model, and the settings that put it into all six seats."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from service.demo.installing import FOLDER, WEIGHTS, InstallError

NAME = "smollm2-135m"
SEATS = ("MOMENTUM", "REVERSION", "BREADTH", "REGIME", "TREND", "NEWS")
DEADLINE_S = 60  # six votes, two at a time, on a machine that may be busy


@contextmanager
def small_model() -> Iterator[str]:
    """The base URL of a server of the small model on a free port; it ends with the block. Raises InstallError."""
    command = ["node", str(FOLDER / "server.mjs"), str(WEIGHTS)]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            base_url = server.stdout.readline().strip()
            if not base_url:
                errors.seek(0)
                raise InstallError(f"The small model did not start: {errors.read().strip()[-300:]}")
            yield base_url
        finally:
            server.terminate()


def seat_options(base_url: str) -> dict[str, str]:
    """The options of the service, as environment variables, with which the small model votes in every seat."""
    addresses = {f"ORACLE_{seat}_BASE_URL": base_url for seat in SEATS}
    return {"ORACLE_MODEL": "", "ORACLE_DEADLINE_S": str(DEADLINE_S), **addresses} | {
        f"ORACLE_{seat}_MODEL": NAME for seat in SEATS
    }
