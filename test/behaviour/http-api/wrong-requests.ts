// Typical wrong requests of new users: each with texts that the answer must contain. `SESSION` in a path is a session's id.
import { type Call, ROOT_KEY } from "../../http/api.ts"

export interface WrongRequest {
  readonly about: string
  readonly send: readonly [method: string, path: string, call?: Call]
  readonly status: number
  /** Texts that the message contains. */
  readonly says: ReadonlyArray<string>
}

const json = (value: unknown): Call => ({ json: value })
const raw = (body: string, headers: Record<string, string> = {}): Call => ({
  body,
  headers: { "content-type": "application/json", ...headers },
})
const option = (name: string, value: unknown, ...says: ReadonlyArray<string>): WrongRequest => ({
  about: `option ${name}: ${JSON.stringify(value)}`,
  send: ["POST", "/v1/query", json({ prompt: "hello", options: { [name]: value } })],
  status: 400,
  says: [`options.${name}`, ...says],
})
const body = (about: string, value: unknown, ...says: ReadonlyArray<string>): WrongRequest => ({
  about,
  send: ["POST", "/v1/query", json(value)],
  status: 400,
  says,
})
const notJson = (about: string, text: string, ...says: ReadonlyArray<string>): WrongRequest => ({
  about,
  send: ["POST", "/v1/query", raw(text)],
  status: 400,
  says: ["is not valid JSON", ...says],
})
const path = (method: string, to: string, ...says: ReadonlyArray<string>): WrongRequest => ({
  about: `${method} ${to}`,
  send: [method, to, method === "GET" ? {} : json({})],
  status: 404,
  says: [`There is no ${method} ${to}`, ...says],
})
const method = (used: string, to: string, allow: string): WrongRequest => ({
  about: `${used} ${to}`,
  send: [used, to, used === "GET" ? {} : json({})],
  status: 405,
  says: [`this path takes ${allow}`],
})
const get = (about: string, to: string, ...says: ReadonlyArray<string>): WrongRequest => ({
  about,
  send: ["GET", to],
  status: 400,
  says,
})
const answer = (about: string, value: unknown, ...says: ReadonlyArray<string>): WrongRequest => ({
  about,
  send: ["POST", `${SESSION}/permissions/r1`, json(value)],
  status: 400,
  says,
})
const unsigned = (about: string, headers: Record<string, string>, ...says: ReadonlyArray<string>): WrongRequest => ({
  about,
  send: ["GET", "/v1/sessions", { key: null, headers }],
  status: 401,
  says,
})

const SESSION = "/v1/sessions/SESSION"
const form = { "content-type": "application/x-www-form-urlencoded" }
const message = { role: "user", content: "x" }
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "data:image/png;base64,AAAA" } }

export const WRONG_REQUESTS: ReadonlyArray<WrongRequest> = [
  // Names of options.
  option("maxTurn", 3, "Did you mean options.maxTurns?"),
  option("max_turns", 3, "Did you mean options.maxTurns?"),
  option("MaxTurns", 3, "Did you mean options.maxTurns?"),
  option("permission_mode", "plan", "Did you mean options.permissionMode?"),
  option("permisionMode", "plan", "Did you mean options.permissionMode?"),
  option("allowed_tools", ["Read"], "Did you mean options.allowedTools?"),
  option("system_prompt", "x", "Did you mean options.systemPrompt?"),
  option("system", "x", "Did you mean options.systemPrompt?"),
  option("askTimeoutMs", 5000, "Did you mean options.ask_timeout_ms?"),
  option("temperature", 0.5, "is not an option"),
  option("max_tokens", 100, "is not an option"),
  option("stream", true, "Accept: text/event-stream"),
  option("resume", "abc", "POST /v1/sessions/{id}/query"),
  option("continue", true, "POST /v1/sessions"),
  option("forkSession", true, "POST /v1/sessions/{id}/fork"),
  option("resumeSessionAt", "abc", "POST /v1/sessions"),
  option("sessionId", "abc", "`id`", "POST /v1/sessions"),
  option("cwd", "/workspace", "`cwd`"),
  option("title", "x", "`title`"),
  option("canUseTool", null, "/permissions/"),
  option("abortController", null, "/interrupt"),
  {
    about: "a field in a body that has none",
    send: ["POST", `${SESSION}/interrupt`, json({ turn_id: "x" })],
    status: 400,
    says: ["empty object"],
  },
  // Values of options.
  option("maxTurns", "3", "an integer", "Got a string"),
  option("maxTurns", 0, "between 1 and 10000"),
  option("maxBudgetUsd", "1", "a number", "Got a string"),
  option("includePartialMessages", "true", "true or false", "Got a string"),
  option("permissionMode", "acceptedits", 'Did you mean "acceptEdits"?'),
  option("permissionMode", "yolo", '"bypassPermissions"'),
  option("variant", "max", '"low", "medium", "high" or "default"'),
  option("lsp", true, "A language server is a local process"),
  option("pty", {}, "A terminal needs a local process"),
  option("effort", "maximum", '"max"'),
  option("allowedTools", "Read", "a list", "Got a string"),
  option("mcpServers", [], "an object", "Got a list"),
  option("additionalDirectories", ["src"], "options.additionalDirectories[0]", "an absolute path"),
  option("thinking", true, "an object", "Got true"),
  option("thinking", { budgetTokens: 2000 }, "options.thinking.type", '"enabled"', '"adaptive"'),
  option("thinking", { type: "enabled", budget_tokens: 2000 }, "Did you mean options.thinking.budgetTokens?"),
  body("options as a list", { prompt: "x", options: [] }, "options", "an object", "Got a list"),
  body("options as a text", { prompt: "x", options: "fast" }, "options", "an object", "Got a string"),
  // Bodies.
  body("nothing", {}, "prompt is missing", "text or content blocks"),
  body("a prompt that is a number", { prompt: 3 }, "prompt must be text or content blocks", "Got a number"),
  body("a prompt that is null", { prompt: null }, "prompt must be text or content blocks", "Got null"),
  body("a prompt that is one block", { prompt: { type: "text", text: "x" } }, "prompt must be text or content blocks"),
  body("a prompt that is a message", { prompt: message }, "prompt must be text or content blocks", "Got an object"),
  body("an empty prompt", { prompt: "" }, "prompt must not be empty"),
  body("an empty list of blocks", { prompt: [] }, "prompt must not be empty"),
  body("blocks that are texts", { prompt: ["hello"] }, "prompt[0]", "an object", "Got a string"),
  body(
    "a block of an unknown type",
    { prompt: [{ type: "txt", text: "x" }] },
    "prompt[0].type",
    'Did you mean "text"?',
  ),
  body("a block without a type", { prompt: [{ text: "x" }] }, "prompt[0].type is missing", '"text"'),
  body("an image without a source", { prompt: [{ type: "image", data: "x" }] }, "prompt[0].source is missing"),
  body("an image_url block", { prompt: [{ type: "image_url", url: "x" }] }, "prompt[0].type", '"image"'),
  body(
    "an image that is not base64",
    { prompt: [{ type: "text", text: "x" }, IMAGE] },
    "prompt[1].source.data: is not valid base64",
    "a data: prefix",
  ),
  body(
    "an image within a document that is not base64",
    { prompt: [{ type: "document", source: { type: "content", content: [IMAGE] } }] },
    "prompt[0].source.content[0].source.data: is not valid base64",
  ),
  body(
    "a PDF without its padding",
    { prompt: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0" } }] },
    "prompt[0].source.data: is not valid base64",
  ),
  body(
    "an image without a media type",
    { prompt: [{ type: "image", source: { type: "base64", data: "x" } }] },
    "prompt[0].source.media_type is missing",
  ),
  body("the body of the Messages API", { model: "s", messages: [message] }, "prompt is missing", "messages", "prompt"),
  body("a model at the top", { prompt: "x", model: "sonnet" }, "model", "options.model"),
  body("maxTurns at the top", { prompt: "x", maxTurns: 3 }, "maxTurns", "options.maxTurns"),
  body("stream at the top", { prompt: "x", stream: true }, "stream", "Accept: text/event-stream"),
  body("session_id at the top", { prompt: "x", session_id: "abc" }, "POST /v1/sessions/{id}/query"),
  body("a misspelt prompt", { promt: "x" }, "promt", "Did you mean prompt?"),
  body("message for prompt", { message: "x" }, "message", "prompt"),
  body("input for prompt", { input: "x" }, "input", "prompt"),
  body("onBusy in camelCase", { prompt: "x", onBusy: "queue" }, "onBusy", "Did you mean on_busy?"),
  body("a list for an object", [{ prompt: "x" }], "The request body must be an object", "Got a list"),
  body("a text for an object", "x", "The request body must be an object", "Got a string"),
  body("an unknown on_busy", { prompt: "x", on_busy: "wait" }, "on_busy", '"queue"', '"interrupt"', '"reject"'),
  body("a uuid that is none", { prompt: "x", uuid: "1" }, "uuid", "UUID"),
  body("metadata of numbers", { prompt: "x", metadata: { a: 1 } }, "metadata.a", "a string", "Got a number"),
  body("a relative cwd", { prompt: "x", cwd: "src" }, "cwd", "absolute path"),
  notJson("a trailing comma", '{"prompt": "x",}', "comma before the }"),
  notJson("single quotes", "{'prompt': 'x'}", "double quotes"),
  notJson("a key without quotes", '{prompt: "x"}', "double quotes"),
  notJson("a value without quotes", '{"prompt": hello}', "double quotes"),
  notJson("Python's True", '{"prompt": "x", "options": {"includePartialMessages": True}}', "not a JSON value"),
  notJson("a comment", '{\n  // hi\n  "prompt": "x"\n}', "line 2", "comment"),
  notJson("half a body", '{"prompt": "x"', "too early"),
  notJson("a raw line break in a text", '{"prompt": "a\nb"}', "line break"),
  { about: "a form", send: ["POST", "/v1/query", raw("prompt=hello", form)], status: 400, says: ["not a form"] },
  {
    about: "a compressed body",
    send: ["POST", "/v1/query", raw("x", { "content-encoding": "gzip" })],
    status: 400,
    says: ["compressed"],
  },
  // Paths and methods.
  path("POST", "/v1/query/", "Did you mean POST /v1/query?"),
  path("POST", "/query", "Did you mean POST /v1/query?"),
  path("GET", "/sessions", "Did you mean GET /v1/sessions?"),
  path("GET", "/v1/session", "Did you mean GET /v1/sessions?"),
  path("POST", "/v1/querry", "Did you mean POST /v1/query?"),
  path("POST", "/v1/messages", "POST /v1/query"),
  path("POST", "/v1/chat/completions", "POST /v1/query"),
  path("POST", "/pty", "A terminal (PTY) needs a local process"),
  path("GET", "/v1/pty/pty_1/connect", "A terminal (PTY) needs a local process"),
  path("GET", "/lsp", "A language server (LSP) is a local process"),
  path("GET", "/v2/sessions", "Did you mean GET /v1/sessions?"),
  path("GET", "/v1/Models", "Did you mean GET /v1/models?"),
  path("POST", "/V1/Query", "Did you mean POST /v1/query?"),
  path("DELETE", "/v1/sessions/x/Files/A.txt", "Did you mean DELETE /v1/sessions/{id}/files/{path}?"),
  path("GET", "/v1//sessions", "Did you mean GET /v1/sessions?"),
  path("GET", "/v1/health", "GET /healthz"),
  path("GET", "/v1/frobnicate", "/openapi.json"),
  method("GET", "/v1/query", "POST"),
  method("PUT", "/v1/sessions", "GET, HEAD, POST"),
  method("POST", `${SESSION}/messages`, "GET, HEAD"),
  method("POST", `${SESSION}/files/workspace/a.txt`, "GET, HEAD, PUT, DELETE"),
  method("GET", "/mcp", "POST"),
  method("GET", `${SESSION}/interrupt`, "POST"),
  get("a session id that is no UUID", "/v1/sessions/abc", "id", "UUID"),
  get("a session id in capitals", "/v1/sessions/01A2006D-24C2-7FCA-854D-A012E7F6351C", "lower-case UUID"),
  get("a limit that is a word", "/v1/sessions?limit=many", "limit", "an integer"),
  get("a limit that is too large", "/v1/sessions?limit=5000", "limit", "between 1 and 100"),
  get("a cursor of files that no page gave", `${SESSION}/files?cursor=abc`, "cursor", "next_cursor of a page"),
  get("a cursor of a backup that no page gave", "/v1/admin/export/sessions?tenant=acme&cursor=abc", "next_cursor of a"),
  get("a misspelt query parameter", "/v1/sessions?limt=5", "limt", "Did you mean limit?"),
  get(
    "a query parameter that is sent twice",
    `${SESSION}/events?name=a&limit=5&name=b`,
    "name: is in the query 2 times. Send it once.",
  ),
  get(
    "a filter of a read that has none",
    `${SESSION}/permissions?kind=plan`,
    "kind: this request takes no query parameters",
  ),
  {
    about: "a filter of a deletion",
    send: ["DELETE", `${SESSION}?dry_run=true`],
    status: 400,
    says: ["dry_run: this request takes no query parameters"],
  },
  get("an order that there is not", "/v1/sessions?order=descending", "order", '"desc"'),
  {
    about: "an empty Idempotency-Key",
    send: ["POST", "/v1/sessions", { json: {}, headers: { "idempotency-key": "" } }],
    status: 400,
    says: ["Idempotency-Key"],
  },
  option("shell_env", { "1A": "x" }, "options.shell_env.1A", "the name of a variable"),
  option("shell_env", { PATH: "/bin" }, "options.shell_env.PATH", "is reserved for the shell"),
  body("a long name in metadata", { prompt: "x", metadata: { ["n".repeat(65)]: "v" } }, "a name of at most 64"),
  answer("an answer of no kind", {}, "behavior", "answers", "content"),
  answer("an answer that misspells behavior", { behaviour: "allow" }, "behaviour", "Did you mean behavior?"),
  answer("an answer with another behavior", { behavior: "accept" }, "behavior", '"allow"', '"deny"'),
  answer(
    "an answer of two forms",
    { behavior: "allow", reply: "once" },
    "reply: can't be given together with behavior",
  ),
  answer("fields of two kinds of answer", { behavior: "allow", updatedInput: {}, permissionMode: "plan" }, "together"),
  answer(
    "an answer of two forms and more",
    { behavior: "allow", reply: "once", x: 1 },
    "together",
    "x: is not a known",
  ),
  answer("an image of a tool that is not base64", { content: [IMAGE] }, "content[0].source.data: is not valid base64"),
  answer("an allow in snake_case", { behavior: "allow", updated_input: {} }, "Did you mean updatedInput?"),
  {
    about: "events without a list",
    send: ["POST", `${SESSION}/events`, json({ type: "user" })],
    status: 400,
    says: ["events is missing"],
  },
  // Credentials.
  unsigned("no key", {}, "Authorization: Bearer KEY", "x-api-key"),
  unsigned("a key without Bearer", { authorization: "perch_acme_0123456789abcdef_x" }, "`Bearer `"),
  unsigned("Basic", { authorization: "Basic cGVyY2g6eA==" }, "Basic", "Bearer"),
  unsigned("the name of a variable", { authorization: "Bearer $PERCH_KEY" }, "variable"),
  unsigned("Bearer and nothing", { authorization: "Bearer " }, "is empty"),
  unsigned("a key of Anthropic", { "x-api-key": "sk-ant-api03-abc" }, "Anthropic"),
  unsigned(
    "two different keys",
    { authorization: `Bearer ${ROOT_KEY}`, "x-api-key": "perch_acme_0123456789abcdef_x" },
    "Authorization and x-api-key contain different keys. Send one of them",
  ),
  unsigned("half a key", { authorization: "Bearer perch_acme_0123" }, "malformed"),
  {
    about: "the key in the query",
    send: ["GET", "/v1/sessions?api_key=perch_acme_0123456789abcdef_x", { key: null }],
    status: 401,
    says: ["it can't be in the URL", "Authorization: Bearer KEY"],
  },
]
