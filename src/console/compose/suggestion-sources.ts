// The suggestions for a session's prompt: its slash commands, its agents, and the files of its workspace.
// Invariant: each list is read when it is first needed, and again only after a while, or when files have changed, which may also be
// commands; if that fails, it is empty.
import type { SessionStore } from "../store/session-store.ts"
import type { Suggestion, Token } from "./completions.ts"

interface Command {
  readonly name: string
  readonly description: string
  readonly argument_hint: string
}

interface Agent {
  readonly name: string
  readonly description: string
}

const GOOD_FOR_MS = 15_000

interface Kept {
  readonly until: number
  /** The store's count of file changes when the list was read. */
  readonly changes: number
  readonly items: Promise<ReadonlyArray<Suggestion>>
}

export class SuggestionSources {
  readonly #store: SessionStore
  readonly #lists = new Map<string, Kept>()

  constructor(store: SessionStore) {
    this.#store = store
  }

  async for({ kind, query }: Token): Promise<ReadonlyArray<Suggestion>> {
    if (kind === "command") return this.#kept("commands", () => this.#commands())
    const folder = query.slice(0, query.lastIndexOf("/") + 1)
    const files = this.#kept(`files ${folder}`, () => this.#files(folder))
    return [...(await this.#kept("agents", () => this.#agents())), ...(await files)]
  }

  #kept(name: string, read: () => Promise<ReadonlyArray<Suggestion>>): Promise<ReadonlyArray<Suggestion>> {
    const known = this.#lists.get(name)
    const changes = this.#store.fileChanges.peek()
    if (known !== undefined && known.until > Date.now() && known.changes === changes) return known.items
    const items = read().catch(() => [])
    this.#lists.set(name, { until: Date.now() + GOOD_FOR_MS, changes, items })
    return items
  }

  async #commands(): Promise<ReadonlyArray<Suggestion>> {
    const path = `/v1/sessions/${this.#store.id}/commands`
    const { data } = await this.#store.server.transport.json<{ data: ReadonlyArray<Command> }>("GET", path)
    return data.map(({ name, description, argument_hint: hint }) => ({
      insert: `/${name}`,
      detail: description,
      hint,
    }))
  }

  async #agents(): Promise<ReadonlyArray<Suggestion>> {
    const { data } = await this.#store.server.transport.json<{ data: ReadonlyArray<Agent> }>("GET", "/v1/agents")
    return data.map(({ name, description }) => ({ insert: `@agent-${name}`, detail: description, hint: "" }))
  }

  async #files(folder: string): Promise<ReadonlyArray<Suggestion>> {
    const root = (await this.#store.directory()).replace(/\/$/, "")
    const prefix = `${root}/${folder}`.replace(/(.)\/+$/, "$1")
    const suggestions: Array<Suggestion> = []
    // Reads all pages, because the typed name may be on the last one.
    for await (const { path, type } of this.#store.server.client.session(this.#store.id).files.all({ prefix })) {
      if (!path.startsWith(`${root}/`)) continue
      const name = path.slice(root.length + 1)
      suggestions.push({ insert: `@${name}${type === "directory" ? "/" : ""}`, detail: "", hint: "" })
    }
    return suggestions
  }
}
