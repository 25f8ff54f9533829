"""Starts JupyterLab and, if no service responds, the service beside it; ends both together.

Both start at the same time in sessions of their own. Ctrl-C therefore reaches only this process, which ends Jupyter
with its kernels first and the service after it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from notebooks.settings import LabSettings, LaunchError
from service.client import Client, ClientError, ConnectionFailed, TimedOut, Unauthorized

NOTEBOOKS = Path(__file__).resolve().parent
ROOT = NOTEBOOKS.parent
PROBE_S = 3.0
START_S = 60.0
END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MINT_S = 60.0
MINT = ("keys", "mint", "--email", "lab@localhost.localdomain", "--app-name", "lab", "--plan", "paid", "--json")


def launch(settings: LabSettings) -> int:
    """Run JupyterLab until it or this process is ended, and return its exit code. Raises LaunchError."""
    with signals_as_exit():
        is_up = is_service_up(settings)
        if not is_up and not settings.is_local:
            raise LaunchError(f"No service responds at {settings.oracle_url}. Start it there, or unset ORACLE_URL.")
        settings.lab_dir.mkdir(parents=True, exist_ok=True)
        settings.key_file.unlink(missing_ok=True)
        mints_key = _mints_key(settings, is_up)
        with (
            nullcontext() if is_up else service(settings) as process,
            child(command(settings), environment(settings, os.environ, mints_key)) as program_process,
        ):
            threading.Thread(target=_prepare_service, args=(settings, process, mints_key), daemon=True).start()
            return program_process.wait()


def is_service_up(settings: LabSettings) -> bool:
    """Whether the service responds. Raises LaunchError if another program responds at its address."""
    with Client(settings.oracle_url, timeout_s=PROBE_S) as client:
        try:
            client.alive()
        except ConnectionFailed:
            return False
        except TimedOut:
            return settings.is_local  # a local service that accepts connections is busy; a remote one may be absent
        except ClientError as error:
            raise LaunchError(f"The server at {settings.oracle_url} is not this service: {error}") from None
    return True


def _mints_key(settings: LabSettings, is_up: bool) -> bool:
    """Whether the workbench mints a key, which needs the data folder of the service."""
    if settings.oracle_key:
        return False
    if not is_up or (settings.is_local and (settings.data_dir / "key-secret").exists()):
        return True
    report(
        f"ORACLE_KEY is not set, and {settings.data_dir} is not the data folder of the service: "
        "panels that need a key stay empty."
    )
    return False


@contextmanager
def service(settings: LabSettings) -> Iterator[subprocess.Popen]:
    """The service on its port of this machine; its output goes to the log file."""
    log = settings.log_file
    report(
        f"No service responds at {settings.oracle_url}: starting it with the data in {settings.data_dir}; log: {log}"
    )
    options = {"HOST": "127.0.0.1", "PORT": str(settings.service_port), "DATA_DIR": str(settings.data_dir)}
    program = [sys.executable, str(ROOT / "app.py")]
    with log.open("wb") as output, child(program, os.environ | options, output) as process:
        yield process


@contextmanager
def child(
    command: list[str], environment: Mapping[str, str], output: IO[bytes] | None = None
) -> Iterator[subprocess.Popen]:
    """A process that is terminated at the end of the block."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def command(settings: LabSettings) -> list[str]:
    """The command line of JupyterLab, whose other options are in the folder `jupyter`."""
    browser = [] if settings.browser else ["--no-browser"]
    index = ["--LabApp.default_url=/lab/tree/index.ipynb"] if (NOTEBOOKS / "index.ipynb").exists() else []
    folder = f"--ServerApp.root_dir={NOTEBOOKS}"
    return [sys.executable, "-m", "jupyterlab", folder, f"--ServerApp.port={settings.port}", *index, *browser]


def environment(settings: LabSettings, values: Mapping[str, str], mints_key: bool = False) -> dict[str, str]:
    """The environment of Jupyter and its kernels.

    It leaves out the user's ~/.jupyter and ~/.ipython, which may belong to another version or start other programs.
    """
    path = [str(ROOT), *filter(None, [values.get("PYTHONPATH")])]
    options = {
        "PYTHONPATH": os.pathsep.join(path),
        "ORACLE_URL": settings.oracle_url,
        "JUPYTER_CONFIG_PATH": str(NOTEBOOKS / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(settings.lab_dir / "config"),
        "JUPYTER_DATA_DIR": str(settings.lab_dir / "data"),
        "IPYTHONDIR": str(settings.lab_dir / "ipython"),
    }
    return {**values, **options, **({"ORACLE_KEY_FILE": str(settings.key_file)} if mints_key else {})}


def _prepare_service(settings: LabSettings, process: subprocess.Popen | None, mints_key: bool) -> None:
    """Wait for the service and provide the key while Jupyter starts; report what goes wrong."""
    try:
        if mints_key:
            provide(settings, lambda: _wait_for_service(settings, process))
        else:
            _wait_for_service(settings, process)
    except (LaunchError, ClientError) as error:
        report(str(error))


def _wait_for_service(settings: LabSettings, process: subprocess.Popen | None) -> None:
    deadline = time.monotonic() + START_S
    while not is_service_up(settings):
        if process and process.poll() is not None:
            lines = settings.log_file.read_text(errors="replace").strip().splitlines()
            raise LaunchError(f"The service did not start: {lines[-1] if lines else process.returncode}")
        if time.monotonic() > deadline:
            raise LaunchError(f"The service does not respond after {START_S:g} s; see {settings.log_file}.")
        time.sleep(0.1)


@contextmanager
def signals_as_exit() -> Iterator[None]:
    """Turn the first end signal into SystemExit, so that every started process is ended on the way out."""

    def end(number: int, _frame: object) -> None:
        for end_signal in END_SIGNALS:
            signal.signal(end_signal, signal.SIG_IGN)
        sys.exit(128 + number if number != signal.SIGINT else 0)

    handlers = {number: signal.signal(number, end) for number in END_SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def report(text: str) -> None:
    """Print a line to the terminal, among those of Jupyter."""
    print(f"ninefold: {text}", file=sys.stderr, flush=True)


def provide(settings: LabSettings, wait_for_service: Callable[[], None]) -> None:
    """Write a key that the service accepts to the file that notebooks wait for. Raises LaunchError, ClientError.

    The file is written last: no notebook reads a key of another database, and none sends a request before the service
    is up.
    """
    wait_for_service()
    key = _saved_key(settings)
    if not key or not _is_accepted(settings, key):
        key = _mint(settings)
        if not _is_accepted(settings, key):
            raise LaunchError(
                f"The service at {settings.oracle_url} does not accept a key minted in {settings.data_dir}, because "
                "its data is elsewhere. Set DATA_DIR to its data folder, or ORACLE_KEY to one of its keys."
            )
    for file in (settings.saved_key_file, settings.key_file):
        _write(file, key)


def _saved_key(settings: LabSettings) -> str:
    try:
        return settings.saved_key_file.read_text().strip()
    except FileNotFoundError:
        return ""


def _write(file: Path, key: str) -> None:
    """Write a file that only this user can read, and rename it into place, so that no reader sees half of it."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with open(draft, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as output:
        output.write(key)
    draft.replace(file)


def _mint(settings: LabSettings) -> str:
    """A new key of the paid plan, minted by the operator's command in the database of the service."""
    command = [sys.executable, "-m", "service.operator", *MINT]
    environment = os.environ | {"DATA_DIR": str(settings.data_dir)}
    try:
        process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=MINT_S)
    except subprocess.TimeoutExpired:
        raise LaunchError(f"No API key was minted in {settings.data_dir} within {MINT_S:g} s.") from None
    if process.returncode:
        raise LaunchError(f"No API key can be minted in {settings.data_dir}: {process.stderr.strip()}")
    return json.loads(process.stdout)["api_key"]


def _is_accepted(settings: LabSettings, key: str) -> bool:
    with Client(settings.oracle_url, key) as client:
        try:
            client.usage()
        except Unauthorized:
            return False
    return True
