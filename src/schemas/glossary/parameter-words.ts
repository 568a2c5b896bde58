// What the parameters of paths, queries and headers mean; `operation.name` overrides `name`.
import { REPLY_WORDS } from "./channel-words.ts"
import { SESSION, TURN } from "./examples.ts"
import type { Glossary } from "./glossary.ts"
import { RECORDING_PARAMETERS } from "./recording-words.ts"
import { RUN_PARAMETERS } from "./run-words.ts"

const PATTERN = [
  "Only events with this name, or with a name that matches the pattern: `*` for a segment, `**` for any number of segments.",
  "sdk:assistant",
] as const
const EVENT_NAME: Glossary = { "pageEvents.name": PATTERN, "streamEvents.name": PATTERN }

/** The names in the paths of stored definitions. */
const DEFINITION_NAMES: Glossary = Object.fromEntries(
  (
    [
      ["Agent", "The agent's name.", "reviewer"],
      ["Command", "The command's name, without a slash.", "changelog"],
      ["McpServer", "The server's name.", "issues"],
    ] as const
  ).flatMap(([id, description, example]) =>
    ["get", "put", "delete"].map((verb) => [`${verb}${id}.name`, [description, example]]),
  ),
)

export const PARAMETER_WORDS: Glossary = {
  saved_id: ["The id of a saved permission.", "sav_8a1f0c3b5d7e9f21"],
  ...RECORDING_PARAMETERS,
  ...RUN_PARAMETERS,
  ...REPLY_WORDS,
  id: ["The session's id: a UUID in lower case.", SESSION],
  "redeliverHookEvent.id": ["The hook event's id.", "0199a000-0000-4000-8000-000000000009"],
  webhook_id: ["The webhook's id.", "0199a000-0000-4000-8000-000000000005"],
  delivery_id: ["The delivery's id.", "0199a000-0000-4000-8000-000000000006"],
  state: ["Only deliveries in this state.", "pending"],
  turn_id: ["The turn: the uuid of its prompt.", TURN],
  until: ["`end` waits until the turn has ended, even while asks are open.", "end"],
  request_id: [
    "The ask's id, as `GET …/permissions` and the 202 of a query return it.",
    "toolu_01A09q90qw90lq917835lq9",
  ],
  key_id: ["The key's id: the 16 hexadecimal digits in the key itself.", "0f1e2d3c4b5a6978"],
  tenant: ["A tenant's name.", "acme"],
  path: ["The file's absolute path without its leading slash; slashes are part of it.", "workspace/notes.txt"],
  "getArchive.path": ["The folder to download; `/` by default.", "/workspace"],
  "putArchive.path": ["The folder to write to; `/` by default.", "/workspace"],
  limit: ["The maximum number of items in a page.", 50],
  cursor: ["The `next_cursor` of the previous page.", "MTc2Mzg0MDAwMDAwMA"],
  order: ["`asc` is oldest first, `desc` newest first.", "desc"],
  after: ["Only events after this seq; `head` means only new events.", 42],
  "pageEvents.after": ["Only events after this seq.", 42],
  "pageWorkflowRunEvents.after": ["Only signals after this seq.", 7],
  "listMessages.after": [
    "The `next_cursor` of the previous page, or the id of a message.",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
  ],
  ...EVENT_NAME,
  ...DEFINITION_NAMES,
  "getModel.id": ["The model's id, a dated id of it or an alias.", "claude-opus-5-5"],
  "listWorkflowRuns.status": ["Only runs with this status.", "running"],
  run_id: ["The run's id.", "nightly-7"],
  at: ["The state after every signal up to this seq was processed; the newest state by default.", 7],
  "listHookEvents.name": ["Only hook events with this name.", "PreToolUse"],
  format: ["The format of the response.", "sdk"],
  "diffFiles.format": ["`unified` returns text in the format of `git diff`.", "unified"],
  "getArchive.format": ["The kind of archive.", "tar.gz"],
  "putArchive.format": ["The kind of archive; without it the compression is detected from the content.", "tar.gz"],
  partials: ["Whether partial answers are sent while they stream (`stream_event`).", true],
  client: ["Identifies this client among the session's clients.", "browser-1"],
  framing: ["`numbered` puts a sequence number before each line, for clients that resume.", "plain"],
  replay: ["Whether events before the connection are sent first.", true],
  from: ["The checkpoint to compare from; the first one by default.", TURN],
  to: ["The checkpoint to compare with; the current files by default.", TURN],
  "listCosts.from": ["Only costs from this day or time on.", "2026-01-31"],
  "listCosts.to": ["Only costs before this day or time.", "2026-02-28T12:00:00Z"],
  prefix: ["Only the folder or file with this path, and everything below it.", "/workspace/src/"],
  projection: ["The provider to show the tools' schemas for.", "anthropic"],
  session: ["Only entries that belong to this session.", SESSION],
  "listTools.session": ["The session whose model is offered the tools.", SESSION],
  "mcp.session": ["The session whose tools these are; or the header `perch-session-id`.", SESSION],
  actor: ["The id of a key or a ticket, or `root`.", "0f1e2d3c4b5a6978"],
  action: ["Only entries with this action.", "session:created"],
  "Idempotency-Key": ["A key that identifies the request.", "order-4711"],
  Prefer: ["How to respond.", "respond-async"],
  "Last-Event-ID": ["A seq.", "42"],
  "If-Match": ["An etag.", '"5d41402abc4b2a76b9719d911017c592"'],
  "If-None-Match": ["An etag.", "*"],
  "If-Range": ["An etag.", '"5d41402abc4b2a76b9719d911017c592"'],
  Range: ["A range.", "bytes=0-99"],
  "perch-session-id": ["A session.", SESSION],
}
