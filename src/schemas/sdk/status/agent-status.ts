// Every field of an agent's definition, and how a session handles it. Refusals and documentation are made from this table.
// Invariant: it has every field of the SDK's types; any other field is refused by name.
import { type FieldRules, harmless, honoured, refused } from "./field-rules.ts"

const OBSERVERS = "needs observers, which this version of Perch does not have. Remove it."

export const AGENT_STATUS: FieldRules = {
  description: honoured(),
  prompt: honoured(),
  tools: honoured("names tools; without it, or with `*` among them, the agent has its parent's"),
  disallowedTools: honoured(),
  model: honoured("is an alias or id; without it, and for `inherit`, the agent has its parent's"),
  effort: honoured("is one of the named levels"),
  permissionMode: honoured("`auto` runs as `default`"),
  maxTurns: honoured(),
  mcpServers: honoured(
    "names servers of the session, or configures servers of type http and sse that the agent alone has",
  ),
  background: honoured(),
  initialPrompt: harmless("belongs to a main thread; a turn whose main thread runs as such an agent is refused"),
  omitClaudeMd: honoured("leaves the project's instruction files out of the agent's requests"),
  skills: honoured("names skills of the project, where the session uses any: the agent begins with their texts"),
  memory: refused("needs a folder that outlives the session, and there is none. Remove it."),
  autoCompactWindow: honoured("lowers the window at which the agent's own conversation is compacted"),
  criticalSystemReminder_EXPERIMENTAL: honoured("is the end of the agent's system prompt"),
  observer: refused(OBSERVERS),
  observerMessage: refused(OBSERVERS),
}
