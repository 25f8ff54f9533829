from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from service.store import migrations
from service.store.database import Database
from service.store.tables import metadata

ROOT = Path(__file__).parents[3]


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request, tmp_path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/empty.sqlite"
    return request.getfixturevalue("empty_postgresql")


def test_the_migrated_schema_is_the_one_of_the_tables(empty_url):
    database = Database(empty_url)
    database.migrate()
    with database.reading() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    database.close()


@pytest.mark.slow
def test_many_processes_that_migrate_at_once_all_succeed(empty_url, at_once, tries):
    processes = tries(8, 20, 20)
    assert at_once("migrate", empty_url, processes) == ["migrated"] * processes


def test_the_head_of_the_file_names_is_that_of_alembic():
    config = Config()
    config.set_main_option("script_location", str(migrations.FOLDER))
    assert ScriptDirectory.from_config(config).get_current_head() == migrations.head()


def test_starting_with_a_current_schema_does_not_load_alembic(sqlite_url):
    program = (
        "import sys; from service.store.database import Database; "
        f"Database({sqlite_url!r}).migrate(); print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
