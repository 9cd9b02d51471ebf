// One session of an official TypeScript client with the server: `session.mjs CONFIGURATION`.
//
// Prints one JSON object per check. The same checks, in the same order, are in `../python/session.py`.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));

// The package of 2.x, which speaks 2026-07-28 when told to negotiate, or the one of 1.x, which knows only `initialize`.
async function load() {
  if (config.package === "@modelcontextprotocol/client") {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    return { Client, StdioClientTransport, StreamableHTTPClientTransport };
  }
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return { Client, StdioClientTransport, StreamableHTTPClientTransport };
}

function check(name, isRight, detail = "") {
  const text = typeof detail === "string" ? detail : JSON.stringify(detail);
  console.log(JSON.stringify({ check: name, ok: Boolean(isRight), detail: isRight ? "" : String(text).slice(0, 600) }));
}

// What stands at a path like `results.0.name`.
function at(answer, path) {
  return path.split(".").reduce((inside, part) => inside?.[part], answer);
}

async function call(client, tool, args, options) {
  const request = { name: tool, arguments: args };
  const result = config.package.endsWith("/sdk")
    ? await client.callTool(request, undefined, options)
    : await client.callTool(request, options);
  return { isError: Boolean(result.isError), text: only(result) };
}

// How answers came: as a text, as an object, or as something else.
const forms = new Set();

// The one copy of an answer, as text.
function only({ content, structuredContent }) {
  const isObject = typeof structuredContent === "object" && content.length === 0;
  const isText = structuredContent === undefined && content.length === 1;
  forms.add(isObject ? "object" : isText ? "text" : JSON.stringify({ content, structuredContent }));
  return isObject ? JSON.stringify(structuredContent) : content[0].text;
}

function eachCameOnce() {
  check("each answer comes once, as it should", [...forms].join() === (config.structured ? "object" : "text"), [...forms]);
}

async function ask(client, question) {
  const { isError, text } = await call(client, question.tool, question.arguments);
  const answer = JSON.parse(text);
  const isRight = question.error
    ? isError && answer.error?.code === question.error && answer.error.data.remediation
    : !isError && Object.entries(question.expect).every(([path, value]) => at(answer, path) === value);
  check(`${question.tool} ${JSON.stringify(question.arguments)}`, isRight, text);
}

async function unknownTool(client) {
  const name = "an unknown tool is an error of the protocol";
  try {
    check(name, false, await call(client, "test_simple_text", {}));
  } catch (error) {
    check(name, error.code === -32602, String(error));
  }
}

// An edit, and progress for whoever sent a token; then another edit, seen without a word.
async function editsAreSeen(client) {
  const told = [];
  const path = join(config.repository, "shop/gifts.py");
  writeFileSync(path, "def wrap_gift(item):\n    return item\n");
  const onprogress = ({ progress, total }) => told.push([progress, total]);
  const { isError, text } = await call(client, "sync_repo", {}, { onprogress });
  check("sync_repo reads the new file alone", !isError && JSON.parse(text).parsed === 1, text);
  const grows = told.every(([done], index) => index === 0 || told[index - 1][0] < done);
  check("progress is told and grows", grows && told.at(-1)?.join() === "1,1", told);
  appendFileSync(path, "\n\ndef unwrap_gift(item):\n    return item\n");
  const expect = { "results.0.path": "shop/gifts.py", "results.0.line_start": 5 };
  await ask(client, { tool: "locate_symbol", arguments: { symbol: "unwrap_gift" }, expect });
}

// Cancels the sync of many new files as soon as it has begun; the next one still has them to read.
async function cancelling(client) {
  const folder = join(config.repository, "generated");
  mkdirSync(folder);
  for (let file = 0; file < 200; file++) {
    const parts = Array.from({ length: 30 }, (_, part) => `def part_${file}_${part}(value):\n    return value + ${part}\n\n\n`);
    writeFileSync(join(folder, `part_${file}.py`), parts.join(""));
  }
  const abort = new AbortController();
  const options = { signal: abort.signal, onprogress: () => abort.abort("no longer needed") };
  const answer = await call(client, "sync_repo", {}, options).catch(() => null);
  const status = JSON.parse((await call(client, "index_status", {})).text);
  check("the server answers after a cancelled call", status.files === 5, status);
  const sync = JSON.parse((await call(client, "sync_repo", {})).text);
  check("a cancelled sync did not go on", sync.parsed > 0, sync);
  check("a cancelled call gets no answer", answer === null, answer);
  const expect = { "results.0.path": "generated/part_199.py", "results.0.line_start": 117 };
  await ask(client, { tool: "locate_symbol", arguments: { symbol: "part_199_29" }, expect });
}

// A server on stdin and stdout ends by itself, with 0, when the client closes.
async function hasEnded() {
  let ended = {};
  for (let step = 0; step < 250 && ended.code === undefined; step++) {
    await sleep(20);
    ended = JSON.parse(readFileSync(config.notes, "utf8") || "{}");
  }
  check("the server ends with exit code 0", ended.code === 0, ended);
}

const { Client, StdioClientTransport, StreamableHTTPClientTransport } = await load();
const options = config.era === "modern" ? { versionNegotiation: { mode: "auto" } } : {};
const client = new Client({ name: "codecompass-clients", version: "1.0.0" }, options);
const transport = config.url
  ? new StreamableHTTPClientTransport(new URL(config.url))
  : new StdioClientTransport({ ...config.stdio, stderr: "inherit" });
// 1.x tells the version to transports that want to know, and to nobody else.
let told;
const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  told = version;
  setProtocolVersion?.(version);
};
await client.connect(transport);
const spoken = client.getNegotiatedProtocolVersion?.() ?? told;
check(`speaks ${config.version}`, spoken === config.version, spoken);
check("says who it is and how to use it", client.getServerVersion()?.name === "codecompass" && client.getInstructions());
const tools = (await client.listTools()).tools.filter((tool) => tool.inputSchema.type === "object");
check("lists its tools", tools.map((tool) => tool.name).join() === config.tools.join(), tools);
for (const question of config.questions) await ask(client, question);
if (!config.structured) {
  await unknownTool(client);
  await editsAreSeen(client);
  await cancelling(client);
}
eachCameOnce();
await client.close();
if (!config.url) await hasEnded();
