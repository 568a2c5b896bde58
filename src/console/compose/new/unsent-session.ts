// The unsent session of the page "New session". It is kept as long as the page is open, whichever screen is shown.
// Invariant: only one exists, so leaving the screen during an upload neither starts a second session nor loses a file.
import { newUuid } from "../../../client/api/new-uuid.ts"
import { signal } from "@preact/signals"
import { ConflictError } from "../../../client/api/perch-error.ts"
import type { CreateSession, Session } from "../../../client/api/session-shapes.ts"
import { type Server, server } from "../../app/server.ts"
import { reportUnfinished } from "../../app/sign-out/unfinished.ts"
import type { Attachment } from "../attachments.ts"
import { EMPTY_FORM, readForm, type SessionForm, sessionOf, titleFrom, writeForm } from "./session-form.ts"

export class UnsentSession {
  readonly form = signal<SessionForm>(readForm(sessionStorage))
  readonly attachments = signal<ReadonlyArray<Attachment>>([])
  readonly error = signal<string | null>(null)
  /** The current step while the session is being started; null otherwise. */
  readonly progress = signal<string | null>(null)
  readonly #server: Server
  #id = newUuid()
  /** The last request with this id, as JSON. */
  #lastRequest: string | null = null

  constructor(server: Server) {
    this.#server = server
  }

  /** Whether there is neither a prompt nor an attachment. */
  isEmpty(): boolean {
    return this.form.value.prompt.trim() === "" && this.attachments.value.length === 0
  }

  set(change: Partial<SessionForm>): void {
    this.form.value = { ...this.form.value, ...change }
    writeForm(sessionStorage, this.form.value)
  }

  /**
   * The body of the request, or the problem of an invalid field. An unchanged form keeps the session id of the previous request; a
   * changed one gets a new id, because the previous session may exist with the old values.
   */
  request(): ReturnType<typeof sessionOf> {
    const form = this.form.peek()
    const read = sessionOf({ ...form, title: form.title || titleFrom(form.prompt) }, this.#id)
    if ("problem" in read) return read
    const request = JSON.stringify(read.value)
    if (this.#lastRequest !== null && this.#lastRequest !== request) {
      this.#renew()
      return this.request()
    }
    this.#lastRequest = request
    return read
  }

  async make(json: CreateSession): Promise<Session> {
    try {
      return await this.#server.transport.json<Session>("POST", "/v1/sessions", { json })
    } catch (cause) {
      // The session with this id was erased, or can't be changed to the requested options.
      if (cause instanceof ConflictError) this.#renew()
      throw cause
    }
  }

  /** Clears the form for the next session, after this one has started. */
  clear(): void {
    this.form.value = EMPTY_FORM
    writeForm(sessionStorage, null)
    this.attachments.value = []
    this.#renew()
  }

  #renew(): void {
    this.#id = newUuid()
    this.#lastRequest = null
  }
}

const unsentSessions = new WeakMap<Server, UnsentSession>()

export const unsentSessionOf = (of: Server): UnsentSession => {
  const unsent = unsentSessions.get(of) ?? new UnsentSession(of)
  unsentSessions.set(of, unsent)
  return unsent
}

reportUnfinished("files attached to a new session", () => {
  const current = server.peek()
  return current !== null && (unsentSessions.get(current)?.attachments.peek().length ?? 0) > 0
})
