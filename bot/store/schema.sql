-- The schema of the bot's database: the statements that change each version into the next one, which a line with its
-- number begins. No statement of a version that was released is changed.

-- version 1
-- The data behind the buttons of sent messages.
CREATE TABLE answer (token TEXT PRIMARY KEY, chat_id INTEGER NOT NULL, user_id INTEGER, verb TEXT NOT NULL, payload
  TEXT NOT NULL, kept_at REAL NOT NULL);
CREATE INDEX answer_of_chat ON answer (chat_id, kept_at);
-- A created challenge and its author, who gets its outcome.
CREATE TABLE challenge (number INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, chat_id INTEGER NOT NULL, looked_at REAL
  NOT NULL, told_at REAL);
CREATE INDEX challenge_of_user ON challenge (user_id);
-- A person's state for an event, the chat, and the start. `unreachable`: switched off because the chat is gone.
CREATE TABLE switch (user_id INTEGER NOT NULL, event TEXT NOT NULL, chat_id INTEGER NOT NULL, state TEXT NOT NULL,
  since REAL NOT NULL, unreachable INTEGER NOT NULL DEFAULT 0, hour INTEGER, timezone TEXT, PRIMARY KEY (user_id,
  event)) WITHOUT ROWID;
-- Alerts that were queued or sent, so that none is sent twice.
CREATE TABLE sent (user_id INTEGER NOT NULL, event TEXT NOT NULL, key TEXT NOT NULL, marked_at REAL NOT NULL, PRIMARY
  KEY (user_id, event, key)) WITHOUT ROWID;
-- The queue of alerts; rowids give its order.
CREATE TABLE alert (user_id INTEGER NOT NULL, event TEXT NOT NULL, key TEXT NOT NULL, chat_id INTEGER NOT NULL, silent
  INTEGER NOT NULL, text TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (user_id, event, key));
-- The last documents that the watcher saw.
CREATE TABLE state (name TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID;

-- version 2
ALTER TABLE challenge RENAME COLUMN looked_at TO checked_at;
ALTER TABLE challenge RENAME COLUMN told_at TO notified_at;
-- The saved answer moves from the key "told" to the key "answer".
UPDATE answer SET payload = json_remove(json_set(payload, '$.answer', json_extract(payload, '$.told')), '$.told')
  WHERE json_type(payload, '$.told') = 'object';

-- version 3
-- A question whose answer was not delivered yet; `quoted` and `waiting` are ids of messages.
CREATE TABLE open_question (number INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, chat_id INTEGER NOT
  NULL, quoted INTEGER, waiting INTEGER, question TEXT NOT NULL, asked_at REAL NOT NULL);
-- A person's latest vote on a market or a challenge, by the id that the service gives it.
CREATE TABLE vote (user_id INTEGER NOT NULL, prediction_id TEXT NOT NULL, vote TEXT NOT NULL, voted_at REAL NOT NULL,
  PRIMARY KEY (user_id, prediction_id)) WITHOUT ROWID;

-- version 4
-- The language of a chat: chosen with /language, and the last one that the person's Telegram was set to.
CREATE TABLE chat_language (chat_id INTEGER PRIMARY KEY, chosen TEXT, seen TEXT);

-- version 5
-- What a person follows. `kind` and `subject` name it; `level` is the price or probability to be reached, else 0.
-- `value` is the one seen last, `due` the world second before which nothing can happen, `owner_id` whose question
-- it is.
CREATE TABLE follow (number INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, chat_id INTEGER NOT NULL,
  kind TEXT NOT NULL, subject TEXT NOT NULL, level REAL NOT NULL, title TEXT NOT NULL, value REAL, due REAL NOT NULL,
  owner_id INTEGER, since REAL NOT NULL, checked_at REAL NOT NULL, UNIQUE (user_id, kind, subject, level));
-- The hours of the day without alerts, in the person's time zone.
CREATE TABLE quiet_hours (user_id INTEGER PRIMARY KEY, begin INTEGER NOT NULL, end INTEGER NOT NULL, timezone TEXT NOT
  NULL);
-- A person's latest forecast of a market, P(YES).
CREATE TABLE forecast (user_id INTEGER NOT NULL, prediction_id TEXT NOT NULL, p REAL NOT NULL, forecast_at REAL NOT
  NULL, PRIMARY KEY (user_id, prediction_id)) WITHOUT ROWID;
-- An alert that is being sent keeps its place in the queue; in quiet hours it waits until `due`.
ALTER TABLE alert ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alert ADD COLUMN due REAL NOT NULL DEFAULT 0;
-- Authors follow their challenges.
INSERT INTO follow (user_id, chat_id, kind, subject, level, title, due, since, checked_at) SELECT user_id, chat_id,
  'challenge', number, 0, '', 0, checked_at, checked_at FROM challenge WHERE notified_at IS NULL;
ALTER TABLE challenge DROP COLUMN checked_at;
ALTER TABLE challenge DROP COLUMN notified_at;
UPDATE switch SET event = 'followed' WHERE event = 'my_challenge';
UPDATE alert SET event = 'followed' WHERE event = 'my_challenge';
UPDATE sent SET event = 'followed' WHERE event = 'my_challenge';

-- version 6
-- A message in a group that shows a challenge, and the state of the challenge that it shows.
CREATE TABLE live_challenge (chat_id INTEGER NOT NULL, message_id INTEGER NOT NULL, number INTEGER NOT NULL, shown
  TEXT NOT NULL, PRIMARY KEY (chat_id, message_id)) WITHOUT ROWID;

-- version 7
-- A challenge is written in one message.
DROP TABLE IF EXISTS conversation;
-- The home page has the events of lanes and the months of the hospital.
DELETE FROM switch WHERE event IN ('lane', 'hospital');
DELETE FROM alert WHERE event IN ('lane', 'hospital');
-- The time zone of a person, in which dates are shown; until when a price is followed, and whether again.
ALTER TABLE chat_language ADD COLUMN zone TEXT;
INSERT OR IGNORE INTO chat_language (chat_id) SELECT user_id FROM switch WHERE timezone IS NOT NULL;
UPDATE chat_language SET zone = (SELECT timezone FROM switch WHERE user_id = chat_id AND event = 'digest');
ALTER TABLE follow ADD COLUMN until REAL;
ALTER TABLE follow ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;

-- version 8
-- A draft is a payload behind its buttons.
DROP TABLE IF EXISTS draft;

-- version 9
-- A challenge is a market.
UPDATE follow SET kind = 'market', subject = 'challenge-' || subject WHERE kind = 'challenge';
ALTER TABLE open_question ADD COLUMN topic INTEGER;
-- What a chat or its person has chosen, each value by its name.
CREATE TABLE setting (chat_id INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (chat_id, name))
  WITHOUT ROWID;
INSERT INTO setting SELECT chat_id, 'language', chosen FROM chat_language WHERE chosen IS NOT NULL;
INSERT INTO setting SELECT chat_id, 'seen', seen FROM chat_language WHERE seen IS NOT NULL;
INSERT INTO setting SELECT chat_id, 'zone', zone FROM chat_language WHERE zone IS NOT NULL;
INSERT INTO setting SELECT user_id, 'quiet', begin || '-' || end FROM quiet_hours;
INSERT INTO setting SELECT user_id, 'hour', hour FROM switch WHERE event = 'digest' AND hour IS NOT NULL;
INSERT INTO setting SELECT user_id, 'theme', 'dark' FROM switch WHERE event = 'dark_charts' AND (state = 'on' OR
  unreachable);
DELETE FROM switch WHERE event = 'dark_charts';
ALTER TABLE switch DROP COLUMN hour;
ALTER TABLE switch DROP COLUMN timezone;
DROP TABLE chat_language;
DROP TABLE quiet_hours;
