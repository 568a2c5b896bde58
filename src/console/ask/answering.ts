// Sends a person's answer to an ask, and keeps the state of the request until the ask disappears.
// Invariant: only one request at a time is sent; typed text is kept after a failure and while another screen is shown.
import { type Signal, signal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { ConflictError, NotFoundError } from "../../client/api/perch-error.ts"
import type { Ask, AskAnswer } from "../../client/api/session-shapes.ts"
import { keepFocus } from "../app/keep-focus.ts"
import { messageOf, type Server } from "../app/server.ts"
import type { SessionStore } from "../store/session-store.ts"

/** Values typed into the forms of a server's asks, by ask id and field name. They are kept as long as the page is open. */
const forms = new WeakMap<Server, Map<string, Map<string, Signal<unknown>>>>()

const formOf = (server: Server, id: string): Map<string, Signal<unknown>> => {
  const known = forms.get(server) ?? new Map<string, Map<string, Signal<unknown>>>()
  forms.set(server, known)
  const form = known.get(id) ?? new Map<string, Signal<unknown>>()
  known.set(id, form)
  return form
}

export class Answering {
  readonly isBusy = signal(false)
  readonly error = signal<string | null>(null)
  readonly #store: SessionStore
  readonly #id: string

  constructor(store: SessionStore, id: string) {
    this.#store = store
    this.#id = id
  }

  /** The value of the ask's form field `name`. Each call with a name returns the same signal, so the value outlives the screen. */
  typed<A>(name: string, initial: () => A): Signal<A> {
    const form = formOf(this.#store.server, this.#id)
    const field = form.get(name) ?? signal<unknown>(initial())
    form.set(name, field)
    return field as Signal<A> // a name has one type
  }

  async send(answer: AskAnswer): Promise<void> {
    if (this.isBusy.value) return
    const restoreFocus = keepFocus()
    this.isBusy.value = true
    this.error.value = null
    // Marked before the request: the stream may report it before the response. Stopping the turn settles the other asks, too.
    const stops = "interrupt" in answer && answer.interrupt === true
    const unsettle = this.#store.settleHere(stops ? undefined : [this.#id])
    try {
      await this.#store.server.client.session(this.#store.id).answer(this.#id, answer)
      await this.#store.refreshAsks()
      forms.get(this.#store.server)?.delete(this.#id)
    } catch (cause) {
      unsettle()
      this.error.value = messageOf(cause)
      // Another client has answered, or the ask has expired: reads which asks are still open.
      if (cause instanceof ConflictError || cause instanceof NotFoundError) await this.#store.refreshAsks()
      else restoreFocus()
    } finally {
      this.isBusy.value = false
    }
  }

  /** Shows the reason why nothing was sent. */
  refuse(problem: string): void {
    this.error.value = problem
  }
}

export interface AskProps {
  readonly ask: Ask
  readonly answering: Answering
}

export const useAnswering = (store: SessionStore, ask: Ask): Answering =>
  useMemo(() => new Answering(store, ask.request_id), [store, ask.request_id])
