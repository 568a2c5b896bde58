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
  readonly #onAnswered: (id: string) => void

  constructor(store: SessionStore, id: string, onAnswered: (id: string) => void) {
    this.#store = store
    this.#id = id
    this.#onAnswered = onAnswered
  }

  async send(answer: AskAnswer): Promise<void> {
    if (this.isBusy.value) return
    this.isBusy.value = true
    this.error.value = null
    try {
      await this.#store.server.client.session(this.#store.id).answer(this.#id, answer)
      this.#onAnswered(this.#id)
      await this.#store.refreshAsks()
    } catch (cause) {
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

export const useAnswering = (store: SessionStore, ask: Ask, onAnswered: (id: string) => void): Answering =>
  useMemo(() => new Answering(store, ask.request_id, onAnswered), [store, ask.request_id])
