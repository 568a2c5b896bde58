// Every field of an agent's definition, and how a session handles it. Refusals and documentation are made from this table.
// Invariant: it has every field of the SDK's types; any other field is refused by name.
import { type FieldRules, harmless, honoured, refused } from "./field-rules.ts"

const OBSERVERS = "needs observers, which this version of Perch does not have. Remove it."

export const AGENT_STATUS: FieldRules = {
  description: honoured(),
  prompt: honoured(),
  tools: honoured("lists tools; without it, or with `*` in it, the agent has its parent's"),
  disallowedTools: honoured(),
  model: honoured("is an alias or id; without it, and for `inherit`, the agent has its parent's"),
  effort: honoured("is one of the named levels"),
  permissionMode: honoured("`auto` runs as `default`"),
  maxTurns: honoured(),
  mcpServers: honoured("lists servers of the session, or configures servers of type http and sse for this agent only"),
  background: honoured(),
  initialPrompt: harmless("applies to a main thread only; a turn whose main thread runs as such an agent is refused"),
  omitClaudeMd: honoured("omits the project's instruction files from the agent's requests"),
  skills: honoured("lists skills of the project, if the session uses any: the agent starts with their texts"),
  memory: refused("needs a folder that outlives the session, which Perch does not have. Remove it."),
  autoCompactWindow: honoured("lowers the window at which the agent's own conversation is compacted"),
  criticalSystemReminder_EXPERIMENTAL: honoured("is appended to the agent's system prompt"),
  observer: refused(OBSERVERS),
  observerMessage: refused(OBSERVERS),
}
