// The groups of the route table's rows, in the order in which the document shows them.

export const TAGS = {
  query: "Run prompts: in a new session, or in one that there is.",
  sessions: "Sessions themselves: open, list, change, fork, erase, and tickets for clients that cannot send headers.",
  runs: "Runs, as the runner of a chat channel has them: a prompt, its replies and one result.",
  turns: "The turns of a session: how far each has come, its result and its cost.",
  permissions:
    "What waits for an answer: permission questions, questions of the model, plans, and calls of your own tools.",
  controls: "What steers a running turn.",
  events: "The session's log: by pages, live, and over the SDK's control protocol.",
  messages: "The conversation as a user interface shows it.",
  files: "The session's workspace: files, archives, checkpoints and diffs.",
  costs: "What was used and what it cost.",
  catalogue: "The models and tools that there are.",
  agents: "Subagents that every session of the tenant can start.",
  workflows: "Workflows of signals, handlers and agents, and their durable runs.",
  webhooks: "Addresses of yours that events are delivered to, and the deliveries.",
  hooks: "Hook events, their delivery, and what HTTP hooks are signed with.",
  commands: "Slash commands that prompts of every session of the tenant may call.",
  mcp: "A session's tools for MCP clients.",
  recordings: "Recordings: what a session or a workflow's run did, to be read, moved and replayed without a request.",
  admin: "API keys, limits of tenants, and the audit.",
  server: "The server itself.",
} as const satisfies Readonly<Record<string, string>>

export type Tag = keyof typeof TAGS
