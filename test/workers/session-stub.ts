// Sessions of the tests in workerd: a real object as its callers see it, and short names for what they send it.
import { env } from "cloudflare:workers"
import type { NewSession } from "../../src/schemas/rpc/session.ts"
import type { SessionRpc } from "../../src/schemas/rpc/session-rpc.ts"
import type { SessionObject } from "../../src/session/session-object.ts"

/** A session's object by its contract. */
export interface Stub extends SessionRpc {
  fetch(input: string, init?: RequestInit): Promise<Response>
}

export const SESSION: NewSession = {
  cwd: "/workspace",
  title: null,
  metadata: {},
  options: { permissionMode: "acceptEdits" },
}

/** The object of a session, which need not exist: as its contract, and as the platform's test functions take it. */
export const open = (id: string = crypto.randomUUID(), tenant = "test") => {
  const name = `${tenant}/${id}`
  const stub = env.SESSIONS.getByName(name)
  return { id, name, rpc: stub as unknown as Stub, object: stub as unknown as DurableObjectStub<SessionObject> }
}

export const created = async (options: NewSession["options"] = SESSION.options) => {
  const opened = open()
  const made = await opened.rpc.create({ session: { ...SESSION, options } })
  if (!made.ok) throw new Error(made.error.message)
  return opened
}

/** Sends a prompt; returns the id of its turn. */
export const submit = async (rpc: Stub, prompt: string): Promise<string> => {
  const turn = crypto.randomUUID()
  const submitted = await rpc.submit({ turn, prompt, onBusy: "queue", options: {}, fingerprint: prompt })
  if (!submitted.ok) throw new Error(submitted.error.message)
  return turn
}

/** The turn once it has ended, or waits for an answer. */
export const statusOf = async (rpc: Stub, turn: string) => {
  const waited = await rpc.wait(turn, 25_000)
  if (!waited.ok) throw new Error(waited.error.message)
  return waited.value
}

/** Sends a prompt, and waits as `statusOf` does. */
export const run = async (rpc: Stub, prompt: string) => {
  const turn = await submit(rpc, prompt)
  return { turn, status: await statusOf(rpc, turn) }
}

/** Looks until there is something. */
export const until = async <A>(look: () => A | undefined | Promise<A | undefined>): Promise<A> => {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await scheduler.wait(10)
  }
}
