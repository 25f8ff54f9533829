"""One JSON line per event on standard error, for the web and the jobs alike.

Whatever a library logs through the standard library comes out in the same form, from warnings upwards.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from contextvars import ContextVar

import structlog
from structlog.typing import EventDict, Processor

# The current request; every log line carries its id.
request_id: ContextVar[str] = ContextVar("request_id", default="")

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(level: str) -> None:
    """Log events from `level` (a key of LEVELS) upwards."""
    shared = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_id,
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_lines(shared))
    logging.basicConfig(level=max(LEVELS[level], logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("service").setLevel(LEVELS[level])
    # It warns for every request that waits: under load one line per request.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)


def _lines(shared: Sequence[Processor]) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ],
    )


def _add_request_id(_logger: object, _method: str, event: EventDict) -> EventDict:
    if current := request_id.get():
        event["request_id"] = current
    return event
