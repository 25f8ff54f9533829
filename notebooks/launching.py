"""Opening the workbench: Jupyter and, where none answers, the service beside it, both ended together.

Both are started at once and in sessions of their own, so that Ctrl-C reaches this process alone and it ends them in
order: Jupyter with its kernels first, then the service.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from notebooks import lab_key
from notebooks.settings import LaunchError, Settings
from service.client import Client, ClientError, ConnectionFailed, TimedOut

NOTEBOOKS = Path(__file__).resolve().parent
ROOT = NOTEBOOKS.parent
PROBE_S = 3.0
PATIENCE_S = 60.0
ENDED_BY = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def launch(what: str, settings: Settings) -> int:
    """Run Jupyter until it or this process is ended; gives its exit code. Raises LaunchError."""
    with open_signals():
        is_up = answers(settings)
        if not is_up and not settings.is_here:
            raise LaunchError(f"Nobody answers at {settings.oracle_url}: start the service there, or unset ORACLE_URL.")
        settings.lab_dir.mkdir(parents=True, exist_ok=True)
        settings.key_file.unlink(missing_ok=True)
        mints = _mints(settings, is_up)
        with (
            nullcontext() if is_up else service(settings) as started,
            child(command(what, settings), environment(settings, os.environ, mints)) as jupyter,
        ):
            threading.Thread(target=_accompany, args=(settings, started, mints), daemon=True).start()
            return jupyter.wait()


def answers(settings: Settings) -> bool:
    """Whether the service is there. Raises LaunchError where somebody else is."""
    with Client(settings.oracle_url, timeout_s=PROBE_S) as client:
        try:
            client.alive()
        except ConnectionFailed:
            return False
        except TimedOut:
            return settings.is_here  # whoever takes connections here and is slow is busy; elsewhere may be nobody
        except ClientError as error:
            raise LaunchError(f"What answers at {settings.oracle_url} is not this service: {error}") from None
    return True


def _mints(settings: Settings, is_up: bool) -> bool:
    """Whether the lab has a key of its own, which is made in the data of the service."""
    if settings.oracle_key:
        return False
    if not is_up or (settings.is_here and (settings.data_dir / "key-secret").exists()):
        return True
    say(f"ORACLE_KEY is not set, and {settings.data_dir} is not the service's: what needs a key stays empty.")
    return False


@contextmanager
def service(settings: Settings) -> Iterator[subprocess.Popen]:
    """The service on its port of this machine; what it says goes to a file."""
    log = log_of(settings)
    say(f"Nobody answers at {settings.oracle_url}: starting the service in {settings.data_dir}, its log is {log}.")
    at = {"HOST": "127.0.0.1", "PORT": str(settings.service_port), "DATA_DIR": str(settings.data_dir)}
    with log.open("wb") as output, child([sys.executable, str(ROOT / "app.py")], os.environ | at, output) as process:
        yield process


def log_of(settings: Settings) -> Path:
    """Where the service that is started here writes."""
    return settings.lab_dir / "service.log"


@contextmanager
def child(command: list[str], environment: Mapping[str, str], output=None) -> Iterator[subprocess.Popen]:
    """A process that is ended in order when it is left."""
    process = subprocess.Popen(
        command, env=environment, stdout=output, stderr=output and subprocess.STDOUT, start_new_session=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def command(what: str, settings: Settings) -> list[str]:
    """How JupyterLab or Voila is started over the notebooks; the rest of what it is told lies in `jupyter`."""
    browser = [] if settings.browser else ["--no-browser"]
    if what == "voila":
        return [sys.executable, "-m", "voila", str(NOTEBOOKS), f"--port={settings.port}", *browser]
    index = ["--LabApp.default_url=/lab/tree/index.ipynb"] if (NOTEBOOKS / "index.ipynb").exists() else []
    folder = f"--ServerApp.root_dir={NOTEBOOKS}"
    return [sys.executable, "-m", "jupyterlab", folder, f"--ServerApp.port={settings.port}", *index, *browser]


def environment(settings: Settings, values: Mapping[str, str], mints: bool) -> dict[str, str]:
    """What Jupyter and its kernels are told.

    What the reader keeps in ~/.jupyter and ~/.ipython is left alone: it may be of another version, or start things.
    """
    path = [str(ROOT), *filter(None, [values.get("PYTHONPATH")])]
    told = {
        "PYTHONPATH": os.pathsep.join(path),
        "ORACLE_URL": settings.oracle_url,
        "JUPYTER_CONFIG_PATH": str(NOTEBOOKS / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(settings.lab_dir / "config"),
        "JUPYTER_DATA_DIR": str(settings.lab_dir / "data"),
        "IPYTHONDIR": str(settings.lab_dir / "ipython"),
    }
    return {**values, **told, **({"ORACLE_KEY_FILE": str(settings.key_file)} if mints else {})}


def _accompany(settings: Settings, started: subprocess.Popen | None, mints: bool) -> None:
    """See that the service comes up and takes the lab's key, while Jupyter starts; say what goes wrong."""
    try:
        if mints:
            lab_key.provide(settings, lambda: _wait_for(settings, started))
        else:
            _wait_for(settings, started)
    except (LaunchError, ClientError) as error:
        say(str(error))


def _wait_for(settings: Settings, started: subprocess.Popen | None) -> None:
    """Until the service answers."""
    deadline = time.monotonic() + PATIENCE_S
    while not answers(settings):
        if started and started.poll() is not None:
            said = log_of(settings).read_text(errors="replace").strip().splitlines()
            raise LaunchError(f"The service did not start: {said[-1] if said else started.returncode}")
        if time.monotonic() > deadline:
            raise LaunchError(f"The service does not answer after {PATIENCE_S:g} s; see {log_of(settings)}.")
        time.sleep(0.1)


@contextmanager
def open_signals() -> Iterator[None]:
    """A signal to end comes as SystemExit, once, so that whatever was started is ended on the way out."""

    def end(number: int, _frame: object) -> None:
        for one in ENDED_BY:
            signal.signal(one, signal.SIG_IGN)
        sys.exit(128 + number if number != signal.SIGINT else 0)

    before = {number: signal.signal(number, end) for number in ENDED_BY}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say(text: str) -> None:
    """A line among those of Jupyter."""
    print(f"ninefold: {text}", file=sys.stderr, flush=True)
