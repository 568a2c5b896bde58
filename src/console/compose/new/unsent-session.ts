// The session that is filled in on the page "New session" and has not begun. It lives as long as the page, whichever screen is shown.
// Invariant: there is one, so leaving the screen while files are uploaded begins no second session and loses no file.
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
  /** What is being done, while it begins. */
  readonly progress = signal<string | null>(null)
  readonly #server: Server
  #id = newUuid()
  /** The request that was made under this id, as JSON. */
  #asked: string | null = null

  constructor(server: Server) {
    this.#server = server
  }

  set(change: Partial<SessionForm>): void {
    this.form.value = { ...this.form.value, ...change }
    writeForm(sessionStorage, this.form.value)
  }

  /**
   * The body of the request, or the field that is wrong. Asked for again as it was, it names the session that the first request
   * made; changed, another one: the first has what was filled in before.
   */
  request(): ReturnType<typeof sessionOf> {
    const form = this.form.peek()
    const read = sessionOf({ ...form, title: form.title || titleFrom(form.prompt) }, this.#id)
    if ("problem" in read) return read
    const asked = JSON.stringify(read.value)
    if (this.#asked !== null && this.#asked !== asked) {
      this.#renew()
      return this.request()
    }
    this.#asked = asked
    return read
  }

  async make(json: CreateSession): Promise<Session> {
    try {
      return await this.#server.transport.json<Session>("POST", "/v1/sessions", { json })
    } catch (cause) {
      // The session of this id was erased, or can't be changed to what is asked for.
      if (cause instanceof ConflictError) this.#renew()
      throw cause
    }
  }

  /** The session has begun: the page is for the next one. */
  clear(): void {
    this.form.value = EMPTY_FORM
    writeForm(sessionStorage, null)
    this.attachments.value = []
    this.#renew()
  }

  #renew(): void {
    this.#id = newUuid()
    this.#asked = null
  }
}

const kept = new WeakMap<Server, UnsentSession>()

export const unsentSessionOf = (of: Server): UnsentSession => {
  const unsent = kept.get(of) ?? new UnsentSession(of)
  kept.set(of, unsent)
  return unsent
}

reportUnfinished("files attached to a new session", () => {
  const current = server.peek()
  return current !== null && (kept.get(current)?.attachments.peek().length ?? 0) > 0
})
