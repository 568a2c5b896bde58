// The types of scripted-openai.mjs, which is plain JavaScript so that it also runs as a program.
// Scripts are described in its header.

export interface LoggedCompletion {
  readonly n: number
  readonly script: string | null
  readonly stream: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly model: string
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
    readonly [key: string]: unknown
  }
  /** True once the client went away before the end of the answer. */
  readonly aborted?: true
}

export interface OpenAiError {
  readonly type?: string
  readonly code?: string
  readonly message?: string
}

export interface OpenAiTurn {
  readonly text?: string
  readonly finish_reason?: string
  readonly refusal?: string
  readonly chunk?: number
  readonly model?: string
  readonly bytes?: number
  readonly hold?: string
  readonly pause?: { readonly after: number; readonly gate: string }
  readonly error?: OpenAiError & {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  }
  readonly mid_error?: OpenAiError & { readonly after: number }
  readonly drop?: { readonly after: number }
  readonly ends?: { readonly after: number }
  readonly raw?: string
}

export interface ScriptedOpenAi {
  readonly port: number
  readonly url: string
  readonly log: Array<LoggedCompletion>
  set(name: string, script: OpenAiTurn | ReadonlyArray<OpenAiTurn>): void
  release(gate: string): void
  waiting(): Readonly<Record<string, number>>
  close(): Promise<void>
}

export function createScriptedOpenAi(options?: {
  readonly port?: number
  /** Only this key is accepted. */
  readonly key?: string
  readonly answer?: (prompt: string, body: LoggedCompletion["body"]) => OpenAiTurn | undefined
}): Promise<ScriptedOpenAi>
