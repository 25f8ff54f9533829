"""A database of revision 0010 counts the keys of a mailbox, however its address was spelt."""

from __future__ import annotations

import pytest
from alembic import command

from service.errors import TooManyKeys
from service.store import keys
from service.store.database import Database
from tests.store.migrations.revisions import run

NOW = 1_800_000_000


def test_the_keys_of_one_mailbox_count_together(sqlite_url):
    database = Database(sqlite_url)
    run(database, command.downgrade, "0010")
    with database.writing() as db:
        for email in ("j.doe@gmail.com", "jdoe+a@gmail.com", "jdoe@googlemail.com", "you@example.com"):
            keys.register(db, b"secret", email, NOW)
    run(database, command.upgrade, "0012")
    with database.writing() as db:
        assert [row.email for row in keys.listed(db)].count("jdoe@gmail.com") == 3
        with pytest.raises(TooManyKeys):
            keys.register(db, b"secret", "jdoe@gmail.com", NOW)
    database.close()
