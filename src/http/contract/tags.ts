// The groups of the route table's rows, in the order in which the document shows them.

export const TAGS = {
  query: "Run prompts: in a new or an existing session.",
  sessions: "Sessions themselves: open, list, change, fork, erase, and tickets for clients that cannot send headers.",
  runs: "Runs in the form that a chat channel's runner uses: a prompt, its replies and one result.",
  turns: "The turns of a session: their status, result and cost.",
  permissions:
    "Asks that wait for an answer: permission questions, questions of the model, plans, and calls of your own tools.",
  controls: "Control of a running turn.",
  events: "The session's log: in pages, live, and over the SDK's control protocol.",
  messages: "The conversation in the form that user interfaces show.",
  files: "The session's workspace: files, archives, checkpoints and diffs.",
  costs: "Usage and costs.",
  catalogue: "The available models and tools.",
  agents: "Subagents that every session of the tenant can start.",
  workflows: "Workflows of signals, handlers and agents, and their durable runs.",
  webhooks: "Your URLs that events are delivered to, and the deliveries.",
  hooks: "Hook events, their delivery, and the secrets that sign HTTP hooks.",
  commands: "Slash commands that prompts in every session of the tenant can call.",
  mcp: "A session's tools for MCP clients.",
  recordings: "Recordings of sessions and of workflows' runs, to be read, moved and replayed without a model request.",
  admin: "API keys, limits of tenants, and the audit log.",
  server: "The server itself.",
} as const satisfies Readonly<Record<string, string>>

export type Tag = keyof typeof TAGS
