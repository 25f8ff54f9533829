"""The tables of the bot's own file, on one page. Instants are unix seconds; ids are Telegram's."""

from __future__ import annotations

FIRST = (
    # What a button of an earlier message stands for.
    """CREATE TABLE answer (
        token TEXT PRIMARY KEY,
        chat_id INTEGER NOT NULL,
        user_id INTEGER,
        verb TEXT NOT NULL,
        payload TEXT NOT NULL,
        kept_at REAL NOT NULL
    )""",
    "CREATE INDEX answer_of_chat ON answer (chat_id, kept_at)",
    # A challenge before it is created. An id is never given twice: an old button must not find a new draft.
    """CREATE TABLE draft (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id INTEGER NOT NULL,
        question TEXT NOT NULL,
        deadline TEXT,
        saved_at REAL NOT NULL,
        creating_key TEXT,
        creating_at REAL
    )""",
    "CREATE INDEX draft_of_user ON draft (user_id)",
    # A challenge whose author waits for the outcome.
    """CREATE TABLE challenge (
        number INTEGER PRIMARY KEY,
        user_id INTEGER NOT NULL,
        chat_id INTEGER NOT NULL,
        looked_at REAL NOT NULL,
        told_at REAL
    )""",
    "CREATE INDEX challenge_of_user ON challenge (user_id)",
    # What a person wants to hear, in which chat and since when. `unreachable`: the bot switched it off itself.
    """CREATE TABLE switch (
        user_id INTEGER NOT NULL,
        event TEXT NOT NULL,
        chat_id INTEGER NOT NULL,
        state TEXT NOT NULL,
        since REAL NOT NULL,
        unreachable INTEGER NOT NULL DEFAULT 0,
        hour INTEGER,
        timezone TEXT,
        PRIMARY KEY (user_id, event)
    ) WITHOUT ROWID""",
    # What was sent or is about to be, so that nothing is sent twice.
    """CREATE TABLE sent (
        user_id INTEGER NOT NULL,
        event TEXT NOT NULL,
        key TEXT NOT NULL,
        marked_at REAL NOT NULL,
        PRIMARY KEY (user_id, event, key)
    ) WITHOUT ROWID""",
    # What is still to be sent, in the order in which it was put down.
    """CREATE TABLE alert (
        user_id INTEGER NOT NULL,
        event TEXT NOT NULL,
        key TEXT NOT NULL,
        chat_id INTEGER NOT NULL,
        silent INTEGER NOT NULL,
        text TEXT NOT NULL,
        until REAL NOT NULL,
        PRIMARY KEY (user_id, event, key)
    )""",
    # What the watcher saw last.
    "CREATE TABLE state (name TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID",
    # How far each conversation is.
    """CREATE TABLE conversation (
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        step TEXT NOT NULL,
        reached_at REAL NOT NULL,
        PRIMARY KEY (name, key)
    ) WITHOUT ROWID""",
)

# One entry for each version of the schema: the statements that lead to it from the one before.
VERSIONS = (FIRST,)
