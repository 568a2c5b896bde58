// Receives a prompt's text; returns what each `@` mention in it is: a file or folder that may be read, an agent, or a
// resource of an MCP server. Invariant: a file wins over an agent of the same name, and both over a resource; anything else
// is no mention.
import { type PlacedMention, placedMentions } from "../project/mentions.ts"
import { ownValue } from "../../schemas/own-value.ts"
import type { PromptMention } from "../../schemas/log/project-events.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Turn } from "../ports.ts"
import { agentNamed } from "../subagents/definition.ts"

/** The context in which mentions are resolved; `mayRead` is called only for paths that exist. */
export interface MentionedIn {
  readonly turn: Turn
  readonly mayRead: (path: string) => boolean
}

export const knownMentions = (within: MentionedIn, text: string): ReadonlyArray<PromptMention> =>
  placedMentions(text).flatMap(
    (placed) => file(within, placed) ?? agent(within, placed) ?? resource(within, placed) ?? [],
  )

const file = ({ turn, mayRead }: MentionedIn, { path: given, lines, source }: PlacedMention): PromptMention | null => {
  const { cwd, workspace } = turn
  try {
    const path = normalizePath(given, cwd)
    if (!workspace.exists(path) || !mayRead(path)) return null
    if (workspace.isDirectory(path)) return { kind: "directory", path, mime: "application/x-directory", source }
    return { kind: "file", path, mime: mimeOf(path), ...(lines === undefined ? {} : { lines }), source }
  } catch (error) {
    if (error instanceof WorkspaceError) return null
    throw error
  }
}

/** As the official SDK: `@agent-NAME` and `@"NAME (agent)"`; as opencode: `@NAME`. */
const agent = ({ turn }: MentionedIn, { written, source }: PlacedMention): PromptMention | null => {
  if (turn.toolByName("Agent") === undefined) return null
  const names = [written, /^agent-(.+)$/.exec(written)?.[1], /^(.+) \(agent\)$/.exec(written)?.[1]]
  for (const name of names) {
    const found = name === undefined ? undefined : agentNamed(turn.agents, name)
    if (found !== undefined) return { kind: "agent", name: found.name, source }
  }
  return null
}

/** As the official SDK: `@SERVER:URI`. */
const resource = ({ turn }: MentionedIn, { written, source }: PlacedMention): PromptMention | null => {
  if (turn.resources === undefined || turn.toolByName("ReadMcpResourceTool") === undefined) return null
  const server = turn.mcpServers.find(({ name }) => written.startsWith(`${name}:`) && written.length > name.length + 1)
  if (server === undefined) return null
  return {
    kind: "resource",
    server: server.name,
    uri: written.slice(server.name.length + 1),
    mime: "text/plain",
    source,
  }
}

const MIMES: Readonly<Record<string, string>> = {
  gif: "image/gif",
  ipynb: "application/x-ipynb+json",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  pdf: "application/pdf",
  png: "image/png",
  webp: "image/webp",
}

/** The MIME type by the name alone; the file's content is checked when it is read. */
const mimeOf = (path: string): string =>
  ownValue(MIMES, /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "") ?? "text/plain"
