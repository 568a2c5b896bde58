// The requests of one remote server that wait for our answer. Receives when our own calls begin and end; returns for each
// request the call that it is about, and a signal that aborts when nothing waits for its answer any more.
// Invariant: a request ends with the call in whose course it was made, or when the server or the connection withdraws it.
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"

type Id = string | number

/** A tool call that runs: as the session names it, and the tool as the server does. */
export interface CallFacts {
  readonly toolUseId: string
  readonly tool: string
}

export interface RequestFacts {
  /** Absent where the request belongs to no call, or it is not known to which. */
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

  /** A request came, in the course of our request `within` if that is known; `done` when it is answered. */
  begin(id: Id, within: Id | undefined): { readonly facts: RequestFacts; readonly done: () => void } {
    const abort = new AbortController()
    // Over one stream for all, the only call that runs is the one that it is about.
    const [only] = this.#calls.size === 1 ? this.#calls.keys() : []
    const of = within ?? only
    const open = { within: of, abort }
    this.withdraw(id)
    this.#open.set(id, open)
    const call = of === undefined ? undefined : this.#calls.get(of)
    const done = () => void (this.#open.get(id) === open && this.#open.delete(id))
    return { facts: { signal: abort.signal, ...(call === undefined ? {} : { call }) }, done }
  }

  /** The server takes a request back. */
  withdraw(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") this.#open.get(id)?.abort.abort()
  }

  /** The connection has ended. */
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
    toolUseId: typeof toolUseId === "string" ? toolUseId : "",
  }
}
