// The types of scripted-api.mjs, which is plain JavaScript so that it also runs as a program.
// Scripts are described in its header.

export interface LoggedRequest {
  readonly n: number
  readonly at: number
  readonly method: string
  readonly path: string
  readonly kind: "main" | "compact" | "side" | "count_tokens" | "other"
  readonly script?: string | null
  readonly step?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly model: string
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
    readonly [key: string]: unknown
  }
  /** True once the client went away before the end of the answer. */
  readonly aborted?: true
}

export interface ScriptedApi {
  readonly port: number
  readonly url: string
  readonly log: Array<LoggedRequest>
  set(name: string, script: unknown): void
  open(): { readonly requests: number; readonly waiting: Readonly<Record<string, number>> }
  release(gate?: string): void
  close(): Promise<void>
}

export function createFakeApi(options?: {
  readonly port?: number
  readonly onRequest?: (entry: LoggedRequest) => void
}): Promise<ScriptedApi>
