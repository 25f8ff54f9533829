// Telegram's HTML: the text that a person sees, or the reason why Telegram refuses it.
"use strict";

const TAGS = new Set("b strong i em u ins s strike del a code pre blockquote tg-spoiler span".split(" "));
const NAMED = { lt: "<", gt: ">", amp: "&", quot: '"' };
const TAG = /<(\/?)([a-z-]*)([^<>]*)>/g;

/** The text without markup; throws a `Refusal` for markup that Telegram does not accept. */
function plain(written, mode, Refusal) {
  if (mode !== "HTML") return written;
  const open = [];
  const bare = written.replace(TAG, (tag, closing, name) => {
    if (!TAGS.has(name)) throw new Refusal(`can't parse entities: unsupported start tag "${name}"`);
    if (closing && open.pop() !== name) throw new Refusal(`can't parse entities: unmatched end tag "${tag}"`);
    if (!closing) open.push(name);
    return "";
  });
  if (open.length) throw new Refusal(`can't parse entities: can't find end tag corresponding to "${open.at(-1)}"`);
  if (bare.includes("<")) throw new Refusal("can't parse entities: unsupported start tag");
  return bare.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (entity, number, hex, name) => {
    if (name) return NAMED[name] ?? entity;
    return String.fromCodePoint(number ? Number(number) : parseInt(hex, 16));
  });
}

module.exports = { plain };
