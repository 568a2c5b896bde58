// The life of the session that a Durable Object holds, as one tagged state.
// Invariant: a state is followed by itself, or by those that `NEXT` names. `erased` is the last one: an id is never used again.
import type { OpenSession } from "./open-session.ts"

export type LifeState =
  /** No session, and nothing of one is stored, except perhaps the claim of an idempotency key. */
  | { readonly tag: "absent" }
  /** Pages of a backup are stored; the last one makes the session. */
  | { readonly tag: "restoring" }
  /** Another session is being copied into this one. `done` resolves when that has succeeded or failed. */
  | { readonly tag: "forking"; readonly done: Promise<unknown> }
  | { readonly tag: "open"; readonly session: OpenSession }
  /** As `open`, but nothing new may start. Returns to `open` when the erasure fails. */
  | { readonly tag: "erasing"; readonly session: OpenSession }
  | { readonly tag: "erased" }

type Tag = LifeState["tag"]

const NEXT: Readonly<Record<Tag, ReadonlyArray<Tag>>> = {
  absent: ["restoring", "forking", "open", "erased"],
  restoring: ["absent", "open"],
  forking: ["absent", "open"],
  open: ["erasing"],
  erasing: ["open", "erased"],
  erased: [],
}

export class SessionLife {
  #state: LifeState = { tag: "absent" }

  get state(): LifeState {
    return this.#state
  }

  become(next: LifeState): void {
    const { tag } = this.#state
    if (tag !== next.tag && !NEXT[tag].includes(next.tag))
      throw new Error(`a session's life went from ${tag} to ${next.tag}`)
    this.#state = next
  }

  /** The session while there is one, also while it is being erased. */
  get session(): OpenSession | null {
    return this.#state.tag === "open" || this.#state.tag === "erasing" ? this.#state.session : null
  }

  /** The session, for callers that run only while there is one. Throws when there is none. */
  get existing(): OpenSession {
    const { session } = this
    if (session === null) throw new Error("the session does not exist")
    return session
  }

  /** True once the erasure has started: nothing new may start. */
  get isClosed(): boolean {
    return this.#state.tag === "erasing" || this.#state.tag === "erased"
  }

  get isErased(): boolean {
    return this.#state.tag === "erased"
  }
}
