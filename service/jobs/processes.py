"""Children for heavy computations, which would hold the interpreter lock for seconds.

A child has one thread for its sums, so that they are always taken in the same order.
"""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 300
ONE_THREAD = ("env", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "VECLIB_MAXIMUM_THREADS=1")
CHILD = (
    "import pickle, sys; function, arguments = pickle.load(sys.stdin.buffer); "
    "pickle.dump(function(*arguments), sys.stdout.buffer)"
)


class ChildFailed(RuntimeError):
    """The child process ended without a result; contains the end of its error output."""


def call_child(function: Callable[..., T], *arguments: Any, time_limit_s: float = TIME_LIMIT_S) -> T:
    """The result of `function(*arguments)` in a child process. Raises ChildFailed or subprocess.TimeoutExpired."""
    process = subprocess.run(
        [*ONE_THREAD, sys.executable, "-c", CHILD],
        input=pickle.dumps((function, arguments)),
        cwd=ROOT,
        capture_output=True,
        timeout=time_limit_s,
        # A group of its own, so that the parent alone handles Ctrl-C, in the parent's session: Linux weighs priorities
        # within sessions, and a child in a new one would count as much as the web processes.
        process_group=0,
    )
    if process.returncode:
        raise ChildFailed(process.stderr.decode(errors="replace")[-500:])
    return pickle.loads(process.stdout)  # noqa: S301 - from our own child process


def call_children(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]]) -> list[T]:
    """The result for each tuple of arguments, in their order; all at once, each in a process forked from this one.

    What this one has imported need not be imported again. It must have a single thread, so it is itself a child.
    """
    context = multiprocessing.get_context("fork")
    receivers, processes = [], []
    for call in arguments:
        receiver, sender = context.Pipe(duplex=False)
        receivers.append(receiver)
        processes.append(context.Process(target=_send, args=(sender, receivers, function, call), daemon=True))
        processes[-1].start()
        sender.close()
    try:
        results = [receiver.recv() for receiver in receivers]
    except EOFError as error:
        raise ChildFailed("a process ended without a result") from error
    finally:
        for process in processes:
            process.terminate()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def _send(
    sender: Connection, receivers: Iterable[Connection], function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Send a result or the exception; only the parent keeps receiving ends, so no process waits for a dead one."""
    for receiver in receivers:
        receiver.close()
    try:
        sender.send(function(*arguments))
    except Exception as error:  # the parent raises it
        sender.send(error)
