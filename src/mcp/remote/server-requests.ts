// The requests of one remote server that wait for a response. Receives the start and end of the session's calls; returns for
// each request the call to which it belongs, and a signal that aborts when its response is no longer needed.
// Invariant: a request ends with the call during which it was made, or when the server or the end of the connection withdraws
// it.
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { textOf } from "../../schemas/json/text-field.ts"

type Id = string | number

/** A running tool call: the session's id for it, and the server's name for the tool. */
export interface CallFacts {
  readonly toolUseId: string
  readonly tool: string
}

export interface RequestFacts {
  /** Absent when the request belongs to no call, or it is unknown to which. */
  readonly call?: CallFacts
  /** Aborts when the server, or the end of the call, withdraws the request. */
  readonly signal: AbortSignal
}

export class ServerRequests {
  readonly #calls = new Map<Id, CallFacts>()
  readonly #open = new Map<Id, { readonly within: Id | undefined; readonly abort: AbortController }>()

  callBegins(message: JsonRpcMessage): void {
    const call = callIn(message)
    if (call !== null) this.#calls.set(call.id, call)
  }

  callEnds(message: JsonRpcMessage): void {
    const call = callIn(message)
    if (call === null) return
    this.#calls.delete(call.id)
    for (const { within, abort } of this.#open.values()) if (within === call.id) abort.abort()
  }

  /** Registers a request of the server, made during the session's request `within` if known. Call `done` after the response. */
  begin(id: Id, within: Id | undefined): { readonly facts: RequestFacts; readonly done: () => void } {
    const abort = new AbortController()
    // With one stream for all calls, the request belongs to the only running call, if there is just one.
    const [only] = this.#calls.size === 1 ? this.#calls.keys() : []
    const of = within ?? only
    const open = { within: of, abort }
    this.withdraw(id)
    this.#open.set(id, open)
    const call = of === undefined ? undefined : this.#calls.get(of)
    const done = () => void (this.#open.get(id) === open && this.#open.delete(id))
    return { facts: { signal: abort.signal, ...(call === undefined ? {} : { call }) }, done }
  }

  /** To be called when the server withdraws a request. */
  withdraw(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") this.#open.get(id)?.abort.abort()
  }

  /** To be called when the connection has ended. */
  withdrawAll(): void {
    for (const { abort } of this.#open.values()) abort.abort()
  }
}

const callIn = (message: JsonRpcMessage): (CallFacts & { readonly id: Id }) | null => {
  if (!("method" in message) || message.method !== "tools/call" || message.id === undefined) return null
  const { params = {} } = message
  const toolUseId: unknown = Reflect.get(params._meta ?? {}, "claudecode/toolUseId")
  return {
    id: message.id,
    tool: String(Reflect.get(params, "name")),
    toolUseId: textOf(toolUseId),
  }
}
