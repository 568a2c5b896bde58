// Scenarios in which Perch deliberately differs from what was recorded: the aspects that differ, and why.
// docs/decisions/official-sdk/agents.md has the reasons for readers.
import type { Digest } from "./digest/digest.ts"

interface Deliberate {
  readonly differs: ReadonlyArray<keyof Digest>
  readonly reason: string
}

const EVERY_CALL_HAS_A_RESULT: Deliberate = {
  differs: ["messages"],
  reason: "A call that clients were sent gets its result, also when its agent is stopped.",
}

const RESENT: Deliberate = {
  differs: ["requests"],
  reason: "How often a refused request is sent again in other forms is the recorded process's own business.",
}

const MESSAGE: Deliberate = {
  differs: ["hooks"],
  reason: "Hooks see what the model wrote to SendMessage, and not what the recorded process adds to it.",
}

const NOTICED: Deliberate = {
  differs: ["messages"],
  reason: "Clients are sent a notice that names the skill or server which the agent does not have.",
}

const ASKED_AGAIN: Deliberate = {
  differs: ["requests"],
  reason: "A request that is out when its agent is sent to the background is given up and made again.",
}

export const DELIBERATE: Readonly<Record<string, Deliberate>> = {
  "agent-interrupted-in-a-tool": EVERY_CALL_HAS_A_RESULT,
  "agent-request-refused": RESENT,
  "agent-fails-after-a-tool": RESENT,
  "agent-one-of-two-fails": RESENT,
  "background-fails": RESENT,
  "agent-continued-by-its-id": MESSAGE,
  "agent-message-to-an-unknown-one": MESSAGE,
  "background-moved-there-by-the-client": ASKED_AGAIN,
  "moved-by-its-call": ASKED_AGAIN,
  "moved-and-then-a-tool": ASKED_AGAIN,
  "agent-skill-unknown": NOTICED,
  "agent-skill-without-sources": NOTICED,
  "agent-server-of-its-own-unreachable": NOTICED,
  "message-by-its-name": MESSAGE,
  "message-without-a-summary": MESSAGE,
  "message-to-a-running-agent": {
    differs: ["hooks", "requests"],
    reason: `${MESSAGE.reason} The message is a text of its own behind the results, not a part of one of them.`,
  },
  "message-that-a-hook-denies": {
    differs: ["messages", "hooks", "requests"],
    reason: `${MESSAGE.reason} What a hook denies reads alike for every tool.`,
  },
  "agent-call-denied-by-rule": {
    differs: ["messages", "hooks", "result"],
    reason: "A rule that denies an agent is reported as every denial is: to clients, and in permission_denials.",
  },
  "agent-over-the-budget": {
    differs: ["messages", "hooks", "result"],
    reason: "The agent and its call end before the turn does; nothing is left open.",
  },
  "agent-of-a-file-without-a-name": {
    differs: ["messages"],
    reason: "A file that defines nothing is named in a notice.",
  },
  "agent-effort": {
    differs: ["result"],
    reason: "modelUsage names the model as the request does, without the window that the recorded process adds.",
  },
  "agent-structured-output": {
    differs: ["messages"],
    reason: "The result of StructuredOutput has the value as its tool_use_result.",
  },
  "agent-of-the-session-unknown": {
    differs: ["messages", "hooks", "requests", "result"],
    reason: "options.agent with a name that there is not is refused by that name.",
  },
}
