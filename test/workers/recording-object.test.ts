// The Durable Object of a recording in workerd, between its own storage and D1: the list shows the recording if and only if it
// exists, whatever fails.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import type { NewSession } from "../../src/schemas/rpc/session.ts"
import type { RecordingRpc } from "../../src/schemas/rpc/recording-rpc.ts"
import type { SessionRpc } from "../../src/schemas/rpc/session-rpc.ts"

const SESSION: NewSession = {
  cwd: "/workspace",
  title: null,
  metadata: {},
  options: { permissionMode: "acceptEdits", runtime: { mode: "record" } },
}

/** A recorded session, and the object of a recording that does not exist yet. */
const setUp = async () => {
  const [session_id, id] = [crypto.randomUUID(), crypto.randomUUID()]
  const session = env.SESSIONS.getByName(`test/${session_id}`) as unknown as SessionRpc
  const made = await session.create({ session: SESSION })
  if (!made.ok) throw new Error(made.error.message)
  const object = () => env.RECORDINGS.getByName(`test/${id}`)
  const stub = () => object() as unknown as RecordingRpc
  const listed = async () =>
    (await env.DB.prepare("SELECT 1 FROM recordings WHERE recording_id = ?").bind(id).all()).results.length > 0
  /** From now on the object's D1 runs statements with `run`. */
  const withD1 = (run: (statement: D1PreparedStatement, storage: DurableObjectStorage) => Promise<unknown>) =>
    runInDurableObject(object(), (instance, { storage }) => {
      const bound = (statement: D1PreparedStatement) => ({ run: () => run(statement, storage) })
      const DB = {
        prepare: (sql: string) => ({ bind: (...values: Array<unknown>) => bound(env.DB.prepare(sql).bind(...values)) }),
      }
      Object.assign(instance, { env: { ...env, DB } })
    })
  return { stub, object, listed, withD1, from: { session_id } }
}

it("D1 has the row of a new recording, or the alarm that writes it is set", async () => {
  const { stub, object, withD1, from } = await setUp()
  const alarms: Array<number | null> = []
  await withD1(async (statement, storage) => {
    alarms.push(await storage.getAlarm())
    return statement.run()
  })
  expect(await stub().record({ from })).toMatchObject({ ok: true })
  expect(alarms).toEqual([expect.any(Number)])
  expect(await runDurableObjectAlarm(object())).toBe(false)
})

it("a recording whose erasure failed after D1 had removed the row is listed again, and can be erased", async () => {
  const { stub, object, listed, withD1, from } = await setUp()
  expect(await stub().record({ from })).toMatchObject({ ok: true })
  let isLost = true
  await withD1(async (statement) => {
    const done = await statement.run()
    if (isLost) throw new Error("the connection was lost")
    return done
  })
  expect(await stub().erase()).toMatchObject({
    ok: false,
    error: { type: "service_unavailable_error", retry_after: 5 },
  })
  expect([await listed(), (await stub().info()).ok]).toEqual([false, true])
  isLost = false
  expect(await runDurableObjectAlarm(object())).toBe(true)
  expect(await listed()).toBe(true)
  expect(await stub().erase()).toMatchObject({ ok: true, value: { deleted: true } })
  expect(await listed()).toBe(false)
  expect(await runDurableObjectAlarm(object())).toBe(false)
})
