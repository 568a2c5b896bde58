// The scripted OpenAI as seen from another process: adds scripts, and returns the requests that it received.
import type { LoggedCompletion, OpenAiTurn } from "./scripted-openai.mjs"

export class OpenAiLog {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  set(name: string, script: OpenAiTurn | ReadonlyArray<OpenAiTurn>): Promise<void> {
    return this.#post("/__scripts", { [name]: script })
  }

  release(gate: string): Promise<void> {
    return this.#post("/__release", { gate })
  }

  /** The requests of a script. */
  async requests(script: string): Promise<ReadonlyArray<LoggedCompletion>> {
    const response = await fetch(`${this.#url}/__log`, { signal: AbortSignal.timeout(10_000) })
    const log = (await response.json()) as ReadonlyArray<LoggedCompletion> // the scripted server writes these
    return log.filter((entry) => entry.script === script)
  }

  async #post(path: string, value: unknown): Promise<void> {
    const init = { method: "POST", body: JSON.stringify(value), signal: AbortSignal.timeout(10_000) }
    const response = await fetch(`${this.#url}${path}`, init)
    if (!response.ok) throw new Error(`the scripted OpenAI answered ${response.status}`)
  }
}
