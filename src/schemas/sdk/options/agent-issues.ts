// Receives the decoded agents that a client or a tenant defines; returns everything in them that is not supported.
// Invariant: options, `initialize` and the definitions that a tenant stores all accept exactly the same agents.
import * as Schema from "effect/Schema"
import { fieldPath, issueAt } from "../../errors/field-path.ts"
import { fieldIssues } from "../../errors/union-issues.ts"
import type { RefusedField } from "../../errors/rpc-error.ts"
import { AGENT_STATUS } from "../status/agent-status.ts"
import { rulesCheck } from "../status/field-rules.ts"
import { type AgentDefinition, isAgentName } from "./agents.ts"
import type { McpServerConfig } from "./mcp-config.ts"
import { McpServerEntry } from "./mcp-entries.ts"
import { AutoCompactWindow } from "./options.ts"
import { mcpServerRefusal } from "./mcp-server-refusal.ts"

const MAX_AGENTS = 50
const MAX_TEXT = 100_000
const MAX_NAMES = 500
/** The most characters of a name in a list, as in the lists of a session's options. */
const MAX_NAME = 1000
const MAX_TURNS = 10_000

type Path = ReadonlyArray<string | number>

/** `at` is the path of the definitions in the request: `["options", "agents"]`. */
export const agentIssues = (
  agents: Readonly<Record<string, AgentDefinition>>,
  at: Path,
): ReadonlyArray<RefusedField> => {
  const names = Object.keys(agents)
  if (names.length > MAX_AGENTS) return [issueAt(at, `has ${names.length} agents; the maximum is ${MAX_AGENTS}`)]
  return Object.entries(agents).flatMap(([name, definition]) => [
    ...(isAgentName(name)
      ? []
      : [
          issueAt(
            [...at, name],
            "is not a valid agent name: use one line of 1 to 200 characters, without blanks around it",
          ),
        ]),
    ...agentDefinitionIssues(definition, [...at, name]),
  ])
}

/** The issues of one definition. */
export const agentDefinitionIssues = (definition: AgentDefinition, at: Path): ReadonlyArray<RefusedField> => [
  ...rulesCheck(fieldPath(at), AGENT_STATUS)(definition),
  ...valueIssues(definition, at),
]

const valueIssues = (definition: AgentDefinition, at: Path): ReadonlyArray<RefusedField> => {
  const { description, prompt, initialPrompt = "", tools = [], disallowedTools = [], ...rest } = definition
  const { model, effort, maxTurns, mcpServers = [], skills = [] } = rest
  const { criticalSystemReminder_EXPERIMENTAL = "", autoCompactWindow } = rest
  const texts = { description, prompt, initialPrompt, criticalSystemReminder_EXPERIMENTAL }
  const lists = { tools, disallowedTools, mcpServers, skills }
  return [
    ...Object.entries(texts)
      .filter(([, text]) => text.length > MAX_TEXT)
      .map(([name]) => issueAt([...at, name], `has more than ${MAX_TEXT} characters`)),
    ...Object.entries(lists)
      .filter(([, list]) => list.length > MAX_NAMES)
      .map(([name]) => issueAt([...at, name], `has more than ${MAX_NAMES} names`)),
    ...Object.entries(lists).flatMap(([name, list]) =>
      list.flatMap((one, index) =>
        typeof one === "string" && one.length > MAX_NAME
          ? [issueAt([...at, name, index], `has more than ${MAX_NAME} characters`)]
          : [],
      ),
    ),
    ...(model !== undefined && (model === "" || model.length > 200)
      ? [issueAt([...at, "model"], "must be an alias or id of a model, of 1 to 200 characters")]
      : []),
    ...(typeof effort === "number"
      ? [issueAt([...at, "effort"], "must be one of low, medium, high, xhigh, max; numbers are not supported")]
      : []),
    ...(autoCompactWindow !== undefined && !isWindow(autoCompactWindow)
      ? [issueAt([...at, "autoCompactWindow"], `must be an integer from 40000 to 10000000. Got ${autoCompactWindow}.`)]
      : []),
    ...(maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns >= 1 && maxTurns <= MAX_TURNS)
      ? [issueAt([...at, "maxTurns"], `must be an integer from 1 to ${MAX_TURNS}. Got ${maxTurns}.`)]
      : []),
    ...mcpServers.flatMap((server, index) =>
      typeof server === "string" ? [] : ownServerIssues(server, [...at, "mcpServers", index]),
    ),
  ]
}

/** The issues of an agent's own servers; their addresses are checked together with those of the session. */
const ownServerIssues = (servers: Readonly<Record<string, McpServerConfig>>, at: Path): ReadonlyArray<RefusedField> =>
  Object.entries(servers).flatMap(([name, config]) => {
    const place = [...at, name.slice(0, 200)]
    const why = mcpServerRefusal(config)
    if (why !== undefined) return [issueAt(place, why)]
    if (config.type === "sdk")
      return [
        issueAt(place, "is a server inside the client. Configure it in options.mcpServers, and use its name here."),
      ]
    if ("oauth" in config)
      return [
        issueAt(
          [...place, "oauth"],
          "is for servers of the session. Configure it in options.mcpServers, and use its name here.",
        ),
      ]
    const decoded = decodeEntry(config)
    if (decoded._tag === "Success") return []
    const field = fieldPath([...place, ...(fieldIssues(decoded.failure.issue, config)[0]?.path ?? [])])
    return [{ field, message: `${field} is not valid for a server of its type` }]
  })

const isWindow = Schema.is(AutoCompactWindow)

const decodeEntry = Schema.decodeUnknownResult(McpServerEntry, { onExcessProperty: "error" })
