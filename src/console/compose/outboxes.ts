// The outbox of each session of the signed-in server. It is kept as long as the page is open, whichever session is shown.
import { newUuid } from "../../client/api/new-uuid.ts"
import { isSignedIn, messageOf, type Server } from "../app/server.ts"
import type { DraftStorage } from "./drafts.ts"
import { Outbox, type Outgoing } from "./outbox.ts"

const boxes = new WeakMap<Server, Map<string, Outbox>>()

/** Listeners by session, which are called when one of its prompts was accepted. */
const listeners = new Map<string, Set<(sent: Outgoing) => void>>()

/** A storage that stores nothing after the sign-out, so that the next person does not see it. */
const storageOf = (server: Server): DraftStorage => ({
  getItem: (name) => sessionStorage.getItem(name),
  removeItem: (name) => sessionStorage.removeItem(name),
  setItem: (name, value) => {
    if (isSignedIn(server)) sessionStorage.setItem(name, value)
  },
})

const make = (server: Server, session: string): Outbox =>
  new Outbox({
    session,
    storage: storageOf(server),
    messageOf,
    newUuid: newUuid,
    later: (ms, then) => {
      if (!isSignedIn(server)) return () => {}
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
    post: async (query) => {
      await server.transport.send("POST", `/v1/sessions/${session}/query`, {
        json: query,
        headers: { prefer: "respond-async", "idempotency-key": query.uuid },
      })
    },
    onAccepted: (sent) => listeners.get(session)?.forEach((listener) => listener(sent)),
  })

export const outboxOf = (server: Server, session: string): Outbox => {
  const known = boxes.get(server) ?? new Map<string, Outbox>()
  boxes.set(server, known)
  const box = known.get(session) ?? make(server, session)
  known.set(session, box)
  return box
}

/** Adds a listener; returns a function that removes it. */
export const onAccepted = (session: string, listener: (sent: Outgoing) => void): (() => void) => {
  const all = listeners.get(session) ?? new Set()
  listeners.set(session, all.add(listener))
  return () => all.delete(listener)
}
