// `node telegram.cjs PORT`: a Telegram server for the tests.
//
// The npm package keeps the chats and accepts the messages of people. The routes here replace its routes for bots,
// because Telegram's real ones answer more and refuse more. Two routes are for the tests only:
//   GET  /calls?since=N&seconds=S   all calls of bots from number N on; waits up to S seconds for the first
//   POST /resets                    {method, chat}: the connection of the next such call is reset
"use strict";

const { EventEmitter } = require("events");
const TelegramServer = require("@vishtar/telegram-test-api");
const { plain } = require("./html.cjs");

const PORT = Number(process.argv[2]);
const BOT = { id: 666, is_bot: true, first_name: "Ninefold", username: "ninefold_test_bot" };
const TEXT = 4096;
const CAPTION = 1024;
const BUTTON = 64;
const NOT_MODIFIED = "message is not modified: specified new message content and reply markup are exactly the same";
const RESET = 0; // as the status of a call whose connection is reset
const PNG = "89504e470d0a1a0a";
const OTHER_POLL =
  "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const NEW_WEBHOOK = "Conflict: terminated by setWebhook request";
const WEBHOOK =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
const UPDATE_EVENTS = ["AddedUserMessage", "AddedUserCommand", "AddedUserCallbackQuery"];

const calls = [];
const resets = [];
const chats = new Map(); // every chat by its id; a bot's own messages hold only the id
const pressed = new Map(); // the chat of each button press, by the id of its query
const webhooks = new Set(); // the tokens of the bots with a webhook
const polls = new Map(); // the response of the newest getUpdates, by the bot's token
const changes = new EventEmitter().setMaxListeners(0);

class Refusal extends Error {}
class Conflict extends Error {}

/** Wait for `change`, at most `seconds` and no longer than the client stays connected. */
function wait(change, seconds, response) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      changes.off(change, done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    changes.on(change, done);
    response.on("close", done);
  });
}

/** The parameters of a call in any encoding; a file is its content. */
async function parameters(request) {
  if (!request.is("multipart/form-data")) return read({ ...request.query, ...request.body });
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const form = await new Response(Buffer.concat(pieces), { headers: request.headers }).formData();
  const values = {};
  for (const [name, value] of form) {
    values[name] = typeof value === "string" ? value : Buffer.from(await value.arrayBuffer());
  }
  return read(values);
}

/** Parse the parameters that Telegram accepts as JSON. */
function read(values) {
  for (const name of ["reply_markup", "commands", "scope"]) {
    if (typeof values[name] === "string") values[name] = JSON.parse(values[name]);
  }
  return values;
}

/** A photo in Telegram's format; everything but a PNG is refused. */
function photo(content) {
  if (!Buffer.isBuffer(content) || content.toString("hex", 0, 8) !== PNG) throw new Refusal("IMAGE_PROCESS_FAILED");
  const size = { width: content.readUInt32BE(16), height: content.readUInt32BE(20), file_size: content.length };
  const name = `photo-${calls.length}`;
  return [{ file_id: name, file_unique_id: name, ...size }];
}

function text(values) {
  const shown = plain(values.text, values.parse_mode, Refusal);
  if (!shown.trim()) throw new Refusal("message text is empty");
  if (shown.length > TEXT) throw new Refusal("message is too long");
  return { text: shown };
}

function caption(values) {
  const shown = plain(values.caption ?? "", values.parse_mode, Refusal);
  if (shown.length > CAPTION) throw new Refusal("message caption is too long");
  return { caption: shown };
}

function keyboard(values) {
  const rows = values.reply_markup?.inline_keyboard ?? [];
  for (const { callback_data: data = "" } of rows.flat()) {
    if (Buffer.byteLength(data) > BUTTON) throw new Refusal("BUTTON_DATA_INVALID");
  }
  return { reply_markup: values.reply_markup };
}

/** A stored message in Telegram's format. */
function formatMessage({ messageId, time, message }) {
  const { chat_id: id, reply_markup: buttons, ...content } = message;
  const chat = chats.get(String(id)) ?? { id: Number(id), type: "private", first_name: "Person" };
  const inline = buttons?.inline_keyboard ? { reply_markup: buttons } : {};
  return { ...content, ...inline, message_id: messageId, date: Math.floor(time / 1000), chat, from: BOT };
}

function findMessage(server, chat, number) {
  return server.storage.botMessages.find(
    ({ messageId, message }) => String(messageId) === String(number) && String(message.chat_id) === String(chat),
  );
}

function send(server, values, token, content) {
  const chat_id = values.chat_id;
  server.addBotMessage({ chat_id, ...content, ...keyboard(values) }, token);
  return formatMessage(server.storage.botMessages.at(-1));
}

function edit(server, values, content) {
  const message = findMessage(server, values.chat_id, values.message_id);
  if (!message) throw new Refusal("message to edit not found");
  const after = { ...message.message, ...content, ...keyboard(values) };
  if (JSON.stringify(after) === JSON.stringify(message.message)) throw new Refusal(NOT_MODIFIED);
  message.message = after;
  return formatMessage(message);
}

/** End the getUpdates of a bot that waits; `response` is that of a newer one. */
function end(token, response) {
  polls.set(token, response);
  changes.emit("updated");
}

/** The updates from `offset` on. Earlier ones are confirmed and dropped; a bot that dies receives the others again. */
async function updates(server, { offset = 0, timeout = 0 }, token, response) {
  if (webhooks.has(token)) throw new Conflict(WEBHOOK);
  end(token, response);
  const isPending = ({ botToken, updateId }) => botToken === token && updateId >= offset;
  const pending = () => server.storage.userMessages.filter(isPending);
  server.storage.userMessages = server.storage.userMessages.filter(
    (message) => message.botToken !== token || isPending(message),
  );
  if (!pending().length && Number(timeout)) await wait("updated", Number(timeout), response);
  if (polls.get(token) !== response) throw new Conflict(webhooks.has(token) ? NEW_WEBHOOK : OTHER_POLL);
  return pending().map((message) => update(server, message));
}

/** A person's message or press as an update in Telegram's format. */
function update(server, stored) {
  const formatted = TelegramServer.formatUpdate(stored);
  const query = formatted.callback_query;
  if (!query) {
    delete formatted.message.botToken;
    chats.set(String(formatted.message.chat.id), formatted.message.chat);
    return formatted;
  }
  const { chat, message_id: number } = query.message;
  const message = findMessage(server, chat.id, number);
  pressed.set(query.id, chat.id);
  query.message = message ? formatMessage(message) : { chat, message_id: number, date: 0 };
  query.chat_instance = `chat-${chat.id}`;
  return formatted;
}

const METHODS = {
  getMe: () => BOT,
  sendMessage: (server, values, token) => send(server, values, token, text(values)),
  sendPhoto: (server, values, token) =>
    send(server, values, token, { photo: photo(values.photo), ...caption(values) }),
  editMessageText: (server, values) => edit(server, values, text(values)),
  answerCallbackQuery: (_server, values) => {
    if (!pressed.has(values.callback_query_id)) throw new Refusal("query is too old and response timeout expired");
    return true;
  },
  setWebhook: (_server, _values, token) => {
    webhooks.add(token);
    end(token);
    return true;
  },
  deleteWebhook: (_server, _values, token) => webhooks.delete(token) || true,
  ...Object.fromEntries(
    ["sendChatAction", "setMyCommands", "deleteMyCommands", "setMyDescription", "setMyShortDescription"].map(
      (name) => [name, () => true],
    ),
  ),
};

/** The status and the body of the answer to a call. */
function answer(server, method, values, token) {
  const reset = resets.findIndex((entry) => entry.method === method && entry.chat === Number(values.chat_id));
  if (reset >= 0) {
    resets.splice(reset, 1);
    return [RESET, {}];
  }
  if (!METHODS[method]) return [404, { ok: false, error_code: 404, description: "Not Found" }];
  try {
    return [200, { ok: true, result: METHODS[method](server, values, token) }];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [400, { ok: false, error_code: 400, description: `Bad Request: ${error.message}` }];
  }
}

function record(bot, method, values, status, body) {
  const chat = values.chat_id ?? pressed.get(values.callback_query_id);
  const answered = { status, result: body.result ?? null, at: Date.now() / 1000 };
  calls.push({ bot, method, chat: Number(chat ?? 0), values: withoutFiles(values), ...answered });
  changes.emit("called");
}

/** The parameters without the content of files. */
function withoutFiles(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !Buffer.isBuffer(value)));
}

async function serveBot(server, request, response) {
  const { token, method } = request.params;
  const values = await parameters(request);
  if (method === "getUpdates") {
    try {
      response.json({ ok: true, result: await updates(server, values, token, response) });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const body = { ok: false, error_code: 409, description: error.message };
      response.status(409).json(body);
      record(token, method, values, 409, body);
    }
    return;
  }
  const [status, body] = answer(server, method, values, token);
  if (status === RESET) request.socket.resetAndDestroy();
  else response.status(status).json(body);
  record(token, method, values, status, body);
}

async function serveCalls(request, response) {
  const since = Number(request.query.since);
  if (calls.length <= since) await wait("called", Number(request.query.seconds), response);
  response.json(calls.slice(since));
}

function routes(app, server) {
  app.all("/bot:token/:method", (request, response, next) => {
    serveBot(server, request, response).catch(next);
  });
  app.get("/calls", serveCalls);
  app.post("/resets", (request, response) => {
    resets.push(request.body);
    response.json(true);
  });
}

const server = new TelegramServer({ host: "127.0.0.1", port: PORT, storeTimeout: 3600 }, { routes: [routes] });
for (const name of UPDATE_EVENTS) server.on(name, () => changes.emit("updated"));
server.start().then(() => {
  // Keep idle connections open, so that a bot's next call does not fail.
  server.server.keepAliveTimeout = 600_000;
  console.log("ready");
});
process.on("SIGTERM", () => process.exit(0));
