// The commands of the official SDK that need its terminal or its machine. As there, a prompt that calls one is answered without
// the model, and no list of commands has them.
// Invariant: they come after the commands of every other source, so a command of an app may have any of these names.
import type { Command } from "./command.ts"

/** By name: where the same is done here; "" when nothing corresponds to it. */
const COMMANDS: Readonly<Record<string, string>> = {
  "add-dir": "Set options.additionalDirectories.",
  agents: "Set options.agents.",
  bashes: "",
  btw: "",
  config: "Change the session's options.",
  exit: "Close the connection.",
  export: "Read the session's messages or events.",
  fast: "",
  hooks: "The control request get_hooks_listing lists them.",
  login: "",
  logout: "",
  mcp: "The control request mcp_status lists the servers.",
  memory: "Write CLAUDE.md.",
  "output-style": "Set options.systemPrompt.",
  permissions: "Set options.settings.permissions.",
  plan: "Set the permission mode plan.",
  quit: "Close the connection.",
  "release-notes": "",
  resume: "Open the other session by its id.",
  rewind: "The control request rewind_files restores files.",
  skills: "",
  status: "",
  tasks: "",
}

export const UNAVAILABLE_COMMANDS: ReadonlyArray<Command> = Object.entries(COMMANDS).map(([name, hint]) => ({
  name,
  description: "",
  source: "builtin",
  body: { kind: "unavailable", answer: `/${name} is not available in this session. ${hint}`.trimEnd() },
}))
