// Renders the tables of the protocol's fields as docs/options.md.
import { FLAGS } from "../../src/client/launch/flags.ts"
import type { FieldRules } from "../../src/schemas/sdk/status/field-rules.ts"
import { HOOK_ANSWER_STATUS } from "../../src/schemas/sdk/status/hook-answer-status.ts"
import { HOOK_STATUS } from "../../src/schemas/sdk/status/hook-status.ts"
import { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"
import { OWN_OPTIONS } from "./own-options.ts"
import { PROMPT_FIELDS } from "../../src/schemas/sdk/status/prompt-status.ts"
import { REQUEST_STATUS, type RequestStatus } from "../../src/schemas/sdk/status/request-status.ts"

interface Row {
  readonly status: string
  readonly note: string
}

const line = (name: string, { status, note }: Row) => `- \`${name}\` · ${status}: ${note}`
const lines = (rows: Readonly<Record<string, Row>>) => Object.entries(rows).map(([name, row]) => line(name, row))

/** Fields of hook matchers are the same for each event. */
const fieldLines = (fields: FieldRules) =>
  Object.entries(fields)
    .filter(([path]) => !/^hooks\.(?!PreToolUse)/.test(path))
    .map(([path, rule]) => `  ${line(path.replace("hooks.PreToolUse", "hooks.EVENT"), rule)}`)

const requests: ReadonlyArray<readonly [string, RequestStatus]> = Object.entries(REQUEST_STATUS)

/** A request with an option that is refused and one with an invalid value, and what is wrong with each. */
const EXAMPLE = `Two invalid options, and what is wrong with them (\`PERCH_KEY\` is set as in the [README](../README.md#first-request)):

\`\`\`sh
curl -s http://127.0.0.1:8787/v1/sessions -H "Authorization: Bearer $PERCH_KEY" -H "Content-Type: application/json" \\
  -d '{ "options": { "sandbox": { "enabled": true }, "maxTurns": 0 } }' |
  node -p 'JSON.parse(fs.readFileSync(0)).error.issues.map(({ message }) => message).join("\\n")'
\`\`\`

\`\`\`
options.sandbox is not supported by this version of Perch
options.maxTurns: expected a value between 1 and 10000
\`\`\`
`

export const optionsPage = (): string =>
  `${[
    "# Options, control requests and hook events",
    "",
    "Every field that the Claude Agent SDK sends has one of three statuses: **honoured**, **harmless** (accepted, but changes nothing, for the reason given) or **refused** (using it is an error that contains its name; over the control protocol, a value that asks for nothing, such as `false` or an empty list, is accepted). A field that is not listed is rejected by name.",
    "",
    "This page is generated from the tables that the server validates with (`src/schemas/sdk/status/`).",
    "",
    EXAMPLE,
    "## SDK options",
    "",
    "The statuses apply to `query()` of the official SDK. `options` of an HTTP request also rejects the harmless ones, and those whose note names another place, with the note as the reason.",
    "",
    ...lines(OPTION_STATUS),
    "",
    "## Perch options",
    "",
    ...Object.entries(OWN_OPTIONS).map(([name, note]) => `- \`${name}\`: ${note}`),
    "",
    "## Flags that spawnPerch accepts from the Node SDK",
    "",
    ...Object.entries(FLAGS).map(([flag, one]) =>
      one.kind === "carried"
        ? `- \`${flag}\` · honoured`
        : one.kind === "left out"
          ? `- \`${flag}\` · harmless: ${one.why}`
          : `- \`${flag}\` · refused: options.${one.option} ${one.why}`,
    ),
    "",
    "## User messages of the control protocol",
    "",
    ...lines(PROMPT_FIELDS),
    "",
    "## Control requests",
    "",
    ...requests.flatMap(([subtype, status]) => [line(subtype, status), ...fieldLines(status.fields)]),
    "",
    "## Hook events",
    "",
    ...Object.entries(HOOK_STATUS).map(([event, { status, note }]) =>
      status === "fires"
        ? `- \`${event}\` · honoured`
        : `- \`${event}\` · ${status === "never" ? "refused" : "honoured"}: ${note}`,
    ),
    "",
    "## Hook answers",
    "",
    "`displayContent` of MessageDisplay replaces the text for clients: messages, results and parts contain it, live and when they are read later. The model, other hooks, stream events and the session's log (`message:withheld`) have the text that the model wrote. A blank one hides the message.",
    "",
    "These fields change nothing. Clients get a warning if a field is unsupported; the rest of the answer applies.",
    "",
    ...Object.entries(HOOK_ANSWER_STATUS).flatMap(([event, fields]) =>
      Object.entries(fields).map(([name, row]) => line(`${event}: ${name}`, row)),
    ),
  ].join("\n")}\n`
