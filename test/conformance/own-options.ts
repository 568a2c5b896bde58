// Descriptions of Perch's own options, for docs/options.md.
// Invariant: every option that a session accepts and the SDK lacks is here; the type below checks it.
import type { SessionOptions } from "../../src/schemas/sdk/options/options.ts"
import type { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"

export type OwnOption = Exclude<keyof SessionOptions, keyof typeof OPTION_STATUS>

export const OWN_OPTIONS: Readonly<Record<OwnOption, string>> = {
  permission_prompts:
    "`ask` (the default of REST sessions) keeps a permission ask open until it is answered, `deny` denies it immediately",
  permission:
    "permission rules in opencode's terms, as a list of `{permission, pattern, action}`, as the object of its configuration, or as one action for everything; the last matching rule applies, see [permissions.md](permissions.md#rules-in-opencodes-terms)",
  ask_timeout_ms: "milliseconds until an unanswered ask is denied: 1,000 to 604,800,000, default 86,400,000",
  replay_user_messages: "`true` sends clients each prompt again, as a message, when it goes to the model",
  workspace_limits:
    "`files`, `bytes` and `file_bytes`: the workspace's limits, up to 10,000, 256 MiB and 32 MiB; an existing session that is opened (`resume`, `on_exists`) or prompted keeps its limits, only PATCH changes them",
  runtime:
    "`{mode, recording?}`: `live` (the default), `record`, or `playback` of a recording; fixed for the life of the session, see [sessions.md](sessions.md#record-and-play-back)",
  shell_network: "`true` lets shell scripts fetch public addresses with `curl`",
  shell_env: "environment variables of shell scripts, by name",
  appendSubagentSystemPrompt:
    "text appended to every subagent's system prompt; the SDK's clients send it, but its types don't declare it",
  clientTools: "up to 50 tools, each `{name, description, inputSchema}`, whose calls a client executes",
  commands:
    "up to 100 slash commands, each `{name, template, description?, model?, agent?}`; see [commands.md](commands.md)",
  claudeCode: "how prompts with a `route` or `subtask` are routed, see [router.md](router.md)",
  variant:
    "how much the model thinks, by opencode's names: `low` (5,000 tokens), `medium` and `default` (10,000), `high` (50,000), reduced to what fits the model; a model with adaptive thinking gets the effort `low`, `medium` or `high`, or its default effort. It can't be combined with `thinking`, `maxThinkingTokens` or `effort`; a turn's `variant` overrides the session's. `GET /v1/models` shows the resulting settings",
  reply:
    "how replies are formatted for a chat channel: `{reasoningLevel?, blockReplyBreak?, blockReplyChunking?, shouldEmitToolResult?, shouldEmitToolOutput?, enforceFinalTag?, currentMessageId?, route?}`, see [channels.md](channels.md)",
  messaging_tools:
    "up to 50 tools that send messages themselves, each `{name, text, to?, provider?, accountId?, threadId?, media?, when?}`; a reply does not repeat what such a tool has sent, see [channels.md](channels.md#messaging-tools)",
  max_retries: "how often a failed model request is retried: 0 to 10, default 10",
  unknown_outcomes:
    "what happens to a call with outside effects whose result was lost in a crash: `tell_model` (the default), `ask_human` or `retry`, or `{default?, tools?: {NAME: POLICY}}`; see [durability.md](durability.md)",
  model_first_byte_timeout_ms:
    "milliseconds until the model's answer must have started: 1,000 to 1,800,000, default 300,000",
  model_idle_timeout_ms:
    "maximum milliseconds between two events of the model's answer, not counting pings: 1,000 to 1,800,000, default 300,000",
  model_timeout_ms:
    "milliseconds within which a step must have its answer, including all retries: 1,000 to 7,200,000, default 3,600,000",
}
