// `node telegram.cjs PORT`: Telegram for the tests.
//
// The npm package keeps chats and takes what people say; the routes here stand before its own for bots, because
// Telegram's real ones answer more and refuse more. Beside Telegram's, for the tests alone:
//   GET  /calls?since=N&seconds=S   every call of a bot from number N on, as soon as there is one, else after S seconds
//   POST /faults                    {method, chat?, times, status, answer}: what the next such calls are answered with
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
const PNG = "89504e470d0a1a0a";
const SAID = ["AddedUserMessage", "AddedUserCommand", "AddedUserCallbackQuery"];

const calls = [];
const faults = [];
const chats = new Map(); // who has spoken where; a bot's own messages name no chat but its number
const pressed = new Map(); // the chat in which a button was pressed, by the number of the query
const webhooks = new Map(); // what a bot set, by its token
const changes = new EventEmitter().setMaxListeners(0);

class Refusal extends Error {}

/** Wait for `change`, at most `seconds` and no longer than somebody listens. */
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

/** The parameters of a call, however they were sent; a file is its content. */
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

/** What Telegram takes as JSON, as what it says. */
function read(values) {
  for (const name of ["reply_markup", "media", "commands", "scope"]) {
    if (typeof values[name] === "string") values[name] = JSON.parse(values[name]);
  }
  return values;
}

/** A photo as Telegram tells it; anything but a PNG is refused. */
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

/** A kept message as Telegram tells it. */
function told({ messageId, time, message }) {
  const { chat_id: id, reply_markup: buttons, ...content } = message;
  const chat = chats.get(String(id)) ?? { id: Number(id), type: "private", first_name: "Somebody" };
  const inline = buttons?.inline_keyboard ? { reply_markup: buttons } : {};
  return { ...content, ...inline, message_id: messageId, date: Math.floor(time / 1000), chat, from: BOT };
}

function kept(server, chat, number) {
  const is = (one) => String(one.messageId) === String(number) && String(one.message.chat_id) === String(chat);
  return server.storage.botMessages.find(is);
}

function send(server, values, token, content) {
  const chat_id = values.chat_id;
  server.addBotMessage({ chat_id, ...content, ...keyboard(values) }, token);
  return told(server.storage.botMessages.at(-1));
}

function edit(server, values, content) {
  const message = kept(server, values.chat_id, values.message_id);
  if (!message) throw new Refusal("message to edit not found");
  const after = { ...message.message, ...content, ...keyboard(values) };
  if (JSON.stringify(after) === JSON.stringify(message.message)) throw new Refusal(NOT_MODIFIED);
  message.message = after;
  return told(message);
}

/** What was said from `offset` on. What lies before it has arrived: a bot that dies keeps the rest. */
async function updates(server, { offset = 0, timeout = 0 }, token, response) {
  const said = () => server.storage.userMessages.filter((one) => one.botToken === token && one.updateId >= offset);
  server.storage.userMessages = server.storage.userMessages.filter(
    (one) => one.botToken !== token || one.updateId >= offset,
  );
  if (!said().length && Number(timeout)) await wait("said", Number(timeout), response);
  return said().map((one) => update(server, one));
}

/** Bring what was said to the bots that have a webhook, each update once. */
function deliver(server) {
  const storage = server.storage;
  const due = storage.userMessages.filter((one) => webhooks.has(one.botToken));
  storage.userMessages = storage.userMessages.filter((one) => !webhooks.has(one.botToken));
  for (const one of due) {
    const { url, secret_token: secret } = webhooks.get(one.botToken);
    const headers = { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": secret };
    fetch(url, { method: "POST", headers, body: JSON.stringify(update(server, one)) }).catch(console.error);
  }
}

function update(server, one) {
  const formed = TelegramServer.formatUpdate(one);
  const query = formed.callback_query;
  if (!query) {
    delete formed.message.botToken;
    chats.set(String(formed.message.chat.id), formed.message.chat);
    return formed;
  }
  const { chat, message_id: number } = query.message;
  const message = kept(server, chat.id, number);
  pressed.set(query.id, chat.id);
  query.message = message ? told(message) : { chat, message_id: number, date: 0 };
  query.chat_instance = `chat-${chat.id}`;
  return formed;
}

const METHODS = {
  getMe: () => BOT,
  sendMessage: (server, values, token) => send(server, values, token, text(values)),
  sendPhoto: (server, values, token) =>
    send(server, values, token, { photo: photo(values.photo), ...caption(values) }),
  editMessageText: (server, values) => edit(server, values, text(values)),
  editMessageCaption: (server, values) => edit(server, values, caption(values)),
  editMessageReplyMarkup: (server, values) => edit(server, values, {}),
  editMessageMedia: (server, values) => {
    const content = values[values.media.media.replace("attach://", "")];
    return edit(server, values, { photo: photo(content), ...caption(values.media) });
  },
  deleteMessage: (server, values) => {
    if (!server.deleteMessage(Number(values.chat_id), Number(values.message_id)))
      throw new Refusal("message to delete not found");
    return true;
  },
  answerCallbackQuery: (_server, values) => {
    if (!pressed.has(values.callback_query_id)) throw new Refusal("query is too old and response timeout expired");
    return true;
  },
  setWebhook: (_server, values, token) => Boolean(webhooks.set(token, values)),
  deleteWebhook: (_server, _values, token) => webhooks.delete(token) || true,
  ...Object.fromEntries(
    ["sendChatAction", "setMyCommands", "deleteMyCommands", "setMyDescription", "setMyShortDescription"].map(
      (name) => [name, () => true],
    ),
  ),
};

/** What a call is answered with: status, body. */
function answered(server, method, values, token) {
  const fault = faults.find((one) => one.method === method && [0, Number(values.chat_id)].includes(one.chat));
  if (fault) {
    fault.times -= 1;
    if (!fault.times) faults.splice(faults.indexOf(fault), 1);
    return [fault.status, { ok: false, error_code: fault.status, ...fault.answer }];
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
  calls.push({ bot, method, chat: Number(chat ?? 0), values: shown(values), status, result: body.result ?? null });
  changes.emit("called");
}

/** The parameters without the content of files. */
function shown(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !Buffer.isBuffer(value)));
}

async function serveBot(server, request, response) {
  const { token, method } = request.params;
  const values = await parameters(request);
  if (method === "getUpdates") {
    response.json({ ok: true, result: await updates(server, values, token, response) });
    return;
  }
  const [status, body] = answered(server, method, values, token);
  response.status(status).json(body);
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
  app.post("/faults", (request, response) => {
    faults.push(request.body);
    response.json(true);
  });
}

const server = new TelegramServer({ host: "127.0.0.1", port: PORT, storeTimeout: 3600 }, { routes: [routes] });
for (const name of SAID) server.on(name, () => changes.emit("said"));
changes.on("said", () => deliver(server));
server.start().then(() => {
  // A connection that a bot keeps open is not to be closed under its next call.
  server.server.keepAliveTimeout = 600_000;
  console.log("ready");
});
process.on("SIGTERM", () => process.exit(0));
