"""One JSON line per event on standard error, for the web and the jobs alike.

Whatever a library logs through the standard library comes out in the same form, from warnings upwards.
"""

from __future__ import annotations

import logging
import sys
from contextvars import ContextVar

import structlog
from structlog.typing import EventDict, Processor

# The current request; every log line carries its id.
request_id: ContextVar[str] = ContextVar("request_id", default="")

ACCESS = logging.getLogger("access")
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def level_of(chosen: str | None) -> str:
    """The level `chosen`, a key of LEVELS; without one `info`, and `warning` in a terminal, where people read."""
    return chosen or ("warning" if sys.stderr.isatty() else "info")


def configure(chosen: str | None, *, requests: bool = False) -> None:
    """Log events from `level_of(chosen)` upwards, and with `requests` a line for each request, whatever the level."""
    level = LEVELS[level_of(chosen)]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter())
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("service").setLevel(level)
    ACCESS.setLevel(logging.INFO if requests else logging.CRITICAL)
    # It warns for every request that waits: under load one line per request.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)


def formatter() -> logging.Formatter:
    """One JSON line per record, ours or a library's; granian takes it by name from its logging file."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_shared(), structlog.stdlib.ExtraAdder()],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ],
    )


def _shared() -> list[Processor]:
    return [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_id,
    ]


def _add_request_id(_logger: object, _method: str, event: EventDict) -> EventDict:
    if current := request_id.get():
        event["request_id"] = current
    return event
