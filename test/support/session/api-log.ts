// The scripted Messages API as seen from another process: adds scripts, and returns the requests that it received.
import type { Block } from "../server/client.ts"
import { scriptName } from "./scripts.ts"

/** One request that reached the scripted API. */
export interface ApiRequest {
  readonly n: number
  readonly at: number
  /** When its answer had ended. */
  readonly ended?: number
  readonly kind: string
  readonly script: string | null
  readonly step: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly model: string
    readonly system?: unknown
    readonly tools?: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | ReadonlyArray<Block> }>
  }
}

export class ApiLog {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async set(name: string, script: unknown): Promise<void> {
    const body = JSON.stringify({ [name]: script })
    const response = await fetch(`${this.url}/__scripts`, { method: "POST", body, signal: AbortSignal.timeout(10_000) })
    if (!response.ok) throw new Error(`the scripted API answered ${response.status}`)
  }

  /** Adds a script under a new name, which starts with `topic` and is returned. */
  async add(topic: string, script: unknown): Promise<string> {
    const name = scriptName(topic)
    await this.set(name, script)
    return name
  }

  /** Opens a gate where answers wait; a step's own gate is named `script#step`. */
  async release(gate: string): Promise<void> {
    const body = JSON.stringify({ gate })
    const response = await fetch(`${this.url}/__release`, { method: "POST", body, signal: AbortSignal.timeout(10_000) })
    if (!response.ok) throw new Error(`the scripted API answered ${response.status}`)
  }

  /** The model requests of one script, in order; those without tools (titles and the like) and for summaries are left out. */
  async requests(name: string): Promise<ReadonlyArray<ApiRequest>> {
    return (await this.requestsOf([name])).filter(({ kind }) => kind === "main")
  }

  /** The requests of several scripts, including those for summaries, in the order of arrival. */
  async requestsOf(names: ReadonlyArray<string>): Promise<ReadonlyArray<ApiRequest>> {
    const scripts = new URLSearchParams({ scripts: names.join(",") })
    const response = await fetch(`${this.url}/__log?${scripts}`, { signal: AbortSignal.timeout(10_000) })
    const log = (await response.json()) as ReadonlyArray<ApiRequest> // the scripted API writes these entries
    return log.filter((entry) => entry.kind === "main" || entry.kind === "compact")
  }
}

/** The highest number of requests that were open at the same time. */
export const mostAtOnce = (requests: ReadonlyArray<ApiRequest>): number => {
  const changes = requests.flatMap(({ at, ended = Number.POSITIVE_INFINITY }) => [
    { at, by: 1 },
    { at: ended, by: -1 },
  ])
  let open = 0
  return changes
    .toSorted((a, b) => a.at - b.at || a.by - b.by)
    .reduce((most, { by }) => Math.max(most, (open += by)), 0)
}

/** The blocks of the assistant messages in a request, in order. */
export const assistantBlocks = (request: ApiRequest): ReadonlyArray<Block> =>
  request.body.messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content))

/** The tool results in a request, in order. */
export const toolResults = (request: ApiRequest): ReadonlyArray<Block> =>
  request.body.messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result")
