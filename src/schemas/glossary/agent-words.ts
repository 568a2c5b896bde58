// What the fields of an agent's definition mean, and those that name an agent.
import type { Glossary } from "./glossary.ts"

const REFUSED = "Refused: sessions do not support it."

export const AGENT_WORDS: Glossary = {
  agents: ["Subagents that the session can start, by name."],
  initialPrompt: ["Applies to a main thread only; it has no effect for a subagent.", "Read README.md first."],
  agent: ["The agent that the main thread runs as.", "reviewer"],
  background: ["Whether it runs in the background unless its call specifies otherwise.", false],
  omitClaudeMd: ["Whether the project's instruction files are left out of the agent's requests.", true],
  criticalSystemReminder_EXPERIMENTAL: ["Text that is appended to the agent's system prompt.", "Never push."],
  ...Object.fromEntries(
    ["SessionOptionsAgentsValue", "CreateAgent", "PutAgent", "Agent"].map((shape) => [
      `${shape}.autoCompactWindow`,
      [
        "Tokens of the model's window that count for the agent's own conversation, if the window has more.",
        150_000,
      ] as const,
    ]),
  ),
  ...Object.fromEntries(
    ["SessionOptionsCommandsItem", "CreateCommand", "PutCommand", "Command", "SessionCommand"].map((shape) => [
      `${shape}.agent`,
      ["The subagent that executes the command.", "reviewer"] as const,
    ]),
  ),
  memory: [REFUSED],
  observer: [REFUSED],
  observerMessage: [REFUSED],
  args: ["Arguments of a local process; refused.", []],
  env: ["Variables of a local process; refused.", {}],
}
