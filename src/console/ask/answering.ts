// Sends a person's answer to an ask and keeps what came of it until the ask goes away.
// Invariant: an answer is sent once at a time; one that fails leaves everything that was typed where it is.
import { signal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { ConflictError, NotFoundError } from "../../client/api/perch-error.ts"
import type { Ask, AskAnswer } from "../../client/api/session-shapes.ts"
import { messageOf } from "../app/server.ts"
import type { SessionStore } from "../store/session-store.ts"

export class Answering {
  readonly isBusy = signal(false)
  readonly error = signal<string | null>(null)
  readonly #store: SessionStore
  readonly #id: string

  constructor(store: SessionStore, id: string) {
    this.#store = store
    this.#id = id
  }

  async send(answer: AskAnswer): Promise<void> {
    if (this.isBusy.value) return
    this.isBusy.value = true
    this.error.value = null
    // Before it is sent: the stream may report it before the answer comes. Stopping the turn settles the other asks too.
    const stops = "interrupt" in answer && answer.interrupt === true
    const unsettle = this.#store.settleHere(stops ? undefined : [this.#id])
    try {
      await this.#store.server.client.session(this.#store.id).answer(this.#id, answer)
      await this.#store.refreshAsks()
    } catch (cause) {
      unsettle()
      this.error.value = messageOf(cause)
      // Another client was first, or it has expired: the list says which asks are still open.
      if (cause instanceof ConflictError || cause instanceof NotFoundError) await this.#store.refreshAsks()
    } finally {
      this.isBusy.value = false
    }
  }

  /** Shows why nothing was sent. */
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
