"""The tables of the bot's database and their changes. Times are unix seconds; user and chat ids are Telegram's."""

from __future__ import annotations

FIRST = (
    # The data behind the buttons of sent messages.
    """CREATE TABLE answer (
        token TEXT PRIMARY KEY,
        chat_id INTEGER NOT NULL,
        user_id INTEGER,
        verb TEXT NOT NULL,
        payload TEXT NOT NULL,
        kept_at REAL NOT NULL
    )""",
    "CREATE INDEX answer_of_chat ON answer (chat_id, kept_at)",
    # A challenge that is being written. Ids are never reused: an old button must not find a new draft.
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
    # A created challenge and its author, who gets its outcome.
    """CREATE TABLE challenge (
        number INTEGER PRIMARY KEY,
        user_id INTEGER NOT NULL,
        chat_id INTEGER NOT NULL,
        looked_at REAL NOT NULL,
        told_at REAL
    )""",
    "CREATE INDEX challenge_of_user ON challenge (user_id)",
    # A person's state for an event, the chat, and the start. `unreachable`: switched off because the chat is gone.
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
    # Alerts that were queued or sent, so that none is sent twice.
    """CREATE TABLE sent (
        user_id INTEGER NOT NULL,
        event TEXT NOT NULL,
        key TEXT NOT NULL,
        marked_at REAL NOT NULL,
        PRIMARY KEY (user_id, event, key)
    ) WITHOUT ROWID""",
    # The queue of alerts; rowids give its order.
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
    # The last documents that the watcher saw.
    "CREATE TABLE state (name TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID",
    # The current step of each conversation.
    """CREATE TABLE conversation (
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        step TEXT NOT NULL,
        reached_at REAL NOT NULL,
        PRIMARY KEY (name, key)
    ) WITHOUT ROWID""",
)

SECOND = (
    "ALTER TABLE challenge RENAME COLUMN looked_at TO checked_at",
    "ALTER TABLE challenge RENAME COLUMN told_at TO notified_at",
    # The saved answer moves from the key "told" to the key "answer".
    "UPDATE answer SET payload = json_remove(json_set(payload, '$.answer', json_extract(payload, '$.told')), '$.told')"
    " WHERE json_type(payload, '$.told') = 'object'",
)

# For each version of the schema, the statements that change the previous version into it.
VERSIONS = (FIRST, SECOND)
