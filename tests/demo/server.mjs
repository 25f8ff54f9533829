// A small language model behind the chat completions API of OpenAI, on this machine only.
//
// node server.mjs WEIGHTS [PORT]
//
// It prints its base URL once it listens. Answers follow the JSON schema of the request, are streamed, and are the same
// for the same prompt. Two prompts are computed at a time, each in one thread: threads that share the work of one prompt
// wait for each other, which is slow on a busy machine.
import http from "node:http";
import {getLlama, LlamaChatSession} from "node-llama-cpp";

const [weights, port = "0"] = process.argv.slice(2);
const WORKERS = 2;
const CONTEXT_TOKENS = 4096;
const GATHER_MS = 100; // requests that arrive together are sorted before the first is served
const LONGEST_BODY = 1 << 20;
const LONGEST_TEXT = 100; // characters of a string in an answer: a model of this size soon repeats itself
const MOST_TOKENS = 150;

const llama = await getLlama({gpu: false, build: "never"});
const model = await llama.loadModel({modelPath: weights});
const workers = await Promise.all(Array.from({length: WORKERS}, newWorker));
const waiting = [];
const grammars = new Map();

http.createServer(answer).listen(Number(port), "127.0.0.1", function () {
    console.log(`http://127.0.0.1:${this.address().port}/v1`);
});

async function newWorker() {
    const context = await model.createContext({contextSize: CONTEXT_TOKENS, sequences: 1, threads: 1});
    return context.getSequence();
}

async function answer(request, response) {
    try {
        if (request.method === "GET" && request.url === "/v1/models")
            return send(response, 200, {object: "list", data: [{id: "smollm2-135m", object: "model"}]});
        if (request.method !== "POST" || request.url !== "/v1/chat/completions")
            return refuse(response, 404, "There is GET /v1/models and POST /v1/chat/completions.");
        await complete(JSON.parse(await bodyOf(request)), response);
    } catch (error) {
        if (response.headersSent) response.destroy();
        else refuse(response, error instanceof SyntaxError || error instanceof RangeError ? 400 : 500, String(error));
    }
}

async function bodyOf(request) {
    let body = "";
    for await (const piece of request) {
        body += piece;
        if (body.length > LONGEST_BODY) throw new RangeError(`a request has at most ${LONGEST_BODY} characters`);
    }
    return body;
}

async function complete(request, response) {
    if (!Array.isArray(request.messages)) return refuse(response, 400, "messages must be a list");
    const closed = new AbortController();
    response.on("close", () => closed.abort());
    const write = request.stream ? startStream(request, response) : () => {};
    const result = await withWorker(JSON.stringify(request.messages).length, (sequence) =>
        generate(sequence, request, write, closed.signal),
    );
    const finish = {index: 0, finish_reason: result.stopReason === "maxTokens" ? "length" : "stop"};
    if (!request.stream) {
        const message = {role: "assistant", content: result.text};
        return send(response, 200, {...head(request), choices: [{...finish, message}], usage: result.usage});
    }
    writeChunk(response, {...head(request, true), choices: [{...finish, delta: {}}]});
    writeChunk(response, {...head(request, true), choices: [], usage: result.usage});
    response.end("data: [DONE]\n\n");
}

// Runs work on a free sequence. Of the requests that wait, the shortest is next: on a busy machine that answers most of
// them in time.
async function withWorker(length, work) {
    const sequence = await new Promise((resolve) => {
        waiting.push({length, resolve});
        waiting.sort((first, second) => first.length - second.length);
        setTimeout(assign, GATHER_MS);
    });
    try {
        return await work(sequence);
    } finally {
        workers.push(sequence);
        assign();
    }
}

function assign() {
    while (workers.length && waiting.length) waiting.shift().resolve(workers.pop());
}

async function generate(sequence, request, write, signal) {
    signal.throwIfAborted();
    const before = {...sequence.tokenMeter.getState()};
    const textOf = (roles) => request.messages.filter(({role}) => roles(role)).map(({content}) => content).join("\n");
    const session = new LlamaChatSession({
        contextSequence: sequence,
        systemPrompt: textOf((role) => role === "system"),
    });
    try {
        const {responseText, stopReason} = await session.promptWithMeta(textOf((role) => role !== "system"), {
            grammar: await grammarOf(request.response_format),
            maxTokens: Math.min(request.max_tokens ?? MOST_TOKENS, MOST_TOKENS),
            temperature: request.temperature ?? 0,
            onTextChunk: write,
            signal,
        });
        return {text: responseText, stopReason, usage: usageSince(sequence, before)};
    } finally {
        session.dispose({disposeSequence: false});
    }
}

function usageSince(sequence, before) {
    const {usedInputTokens, usedOutputTokens} = sequence.tokenMeter.diff(before);
    return {
        prompt_tokens: usedInputTokens,
        completion_tokens: usedOutputTokens,
        total_tokens: usedInputTokens + usedOutputTokens,
    };
}

// The grammar of a request's JSON schema; undefined where it names none. One is built per schema.
async function grammarOf(format) {
    const schema = format?.json_schema?.schema ?? format?.schema;
    if (!schema) return undefined;
    const key = JSON.stringify(schema);
    if (!grammars.has(key)) grammars.set(key, await llama.createGrammarForJsonSchema(bounded(schema)));
    return grammars.get(key);
}

// The schema in the terms that the grammar knows: a pattern becomes a length, a list of values stands without a type.
function bounded(schema) {
    if (schema.enum) return {enum: schema.enum};
    if (schema.type === "string") return {type: "string", maxLength: LONGEST_TEXT};
    if (schema.type !== "object") return schema;
    const properties = Object.entries(schema.properties ?? {}).map(([name, value]) => [name, bounded(value)]);
    return {type: "object", properties: Object.fromEntries(properties), additionalProperties: false};
}

function head(request, isChunk = false) {
    return {
        id: "chatcmpl-1",
        object: isChunk ? "chat.completion.chunk" : "chat.completion",
        created: Math.floor(Date.now() / 1000),
        model: request.model,
    };
}

function startStream(request, response) {
    response.writeHead(200, {"content-type": "text/event-stream"});
    return (text) =>
        writeChunk(response, {
            ...head(request, true),
            choices: [{index: 0, delta: {role: "assistant", content: text}, finish_reason: null}],
        });
}

function writeChunk(response, chunk) {
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

function send(response, status, body) {
    response.writeHead(status, {"content-type": "application/json"});
    response.end(JSON.stringify(body));
}

function refuse(response, status, message) {
    send(response, status, {error: {message, type: "invalid_request_error"}});
}
