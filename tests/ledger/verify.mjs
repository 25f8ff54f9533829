// A verifier written from the protocol in /api/v1/ledger/vectors alone, with nothing of the service: node verify.mjs FILE.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hex = (text) => sha256(Buffer.from(text, "utf8")).toString("hex");

// RFC 8785: names in the order of their UTF-16 code units; numbers and texts as JSON.stringify writes them.
const text = (value) => {
  if (Array.isArray(value)) return `[${value.map(text).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${text(value[name])}`).join(",")}}`;
};

const without = (object, ...names) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const isSigned = (message, key, signature) => {
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(key, "hex")]);
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  return verify(null, Buffer.from(message, "utf8"), publicKey, Buffer.from(signature, "hex"));
};

const tree = (leaves) => {
  if (leaves.length === 1) return sha256(Buffer.from([0]), leaves[0]);
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha256(Buffer.from([1]), tree(leaves.slice(0, half)), tree(leaves.slice(half)));
};

const require_ = (condition, sentence) => {
  if (!condition) throw new Error(sentence);
};

const rows = [];
let recordedAt = "";
let seal = null;
const successors = [];
const rootLines = {};
for (const line of readFileSync(process.argv[2], "utf8").split("\n").slice(0, -1)) {
  const { type, ...content } = JSON.parse(line);
  require_(text({ type, ...content }) === line, "a line is in another form");
  if (type === "row") {
    const { seq, hash, body } = content;
    require_(seal === null && seq === rows.length + 1, `row ${seq} is out of place`);
    require_(content.form === "rfc8785" && hex(text(without(content, "hash"))) === hash, `row ${seq} was changed`);
    require_(content.previous === (rows.at(-1)?.hash ?? "0".repeat(64)), `row ${seq} follows another row`);
    const isRewind = content.kind === "correction" && body.rewound_to === content.recorded_at;
    require_(isRewind || content.recorded_at >= recordedAt, `row ${seq} is earlier than the row before`);
    recordedAt = content.recorded_at;
    if (content.kind === "handover") {
      const message = text({ key_before: body.key_before, key: body.key, previous: content.previous });
      require_(isSigned(message, body.key_before, body.signature), `row ${seq} is not signed`);
      successors.push({ seq, ...body });
    }
    rows.push(content);
  } else if (type === "timestamp") {
    const imprint = sha256(Buffer.from(rootLines[content.day], "utf8"));
    require_(Buffer.from(content.token, "base64").includes(imprint), `the timestamp of ${content.day} is of another root`);
  } else {
    rootLines[content.day] = line;
    const { first_seq, last_seq, day, key } = content;
    require_(first_seq === (seal?.last_seq ?? 0) + 1, `the root of ${day} is out of place`);
    require_(content.previous === (seal?.root ?? ""), `the root of ${day} follows another root`);
    const leaves = rows.slice(first_seq - 1, last_seq).map((row) => Buffer.from(row.hash, "hex"));
    require_(leaves.length === last_seq - first_seq + 1, `the root of ${day} seals missing rows`);
    require_(tree(leaves).toString("hex") === content.root, `the root of ${day} is of other rows`);
    require_(rows[last_seq - 1].hash === content.head, `the root of ${day} has another head`);
    require_(isSigned(text(without(content, "key", "signature")), key, content.signature), `${day} is not signed`);
    const between = successors.filter(({ seq }) => seal && seq > seal.last_seq && seq <= last_seq);
    const chain = between.reduce((before, row) => (row.key_before === before ? row.key : before), seal?.key);
    require_(seal === null || key === chain, `the root of ${day} is signed by another key`);
    seal = content;
  }
}
console.log(`${rows.length} rows, sealed up to ${seal?.last_seq ?? 0}`);
