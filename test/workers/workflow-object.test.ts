// The Durable Object of a workflow's run in workerd, between its own storage and D1: the list shows a run if and only if it
// exists, whatever fails while it is created.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { NO_RIGHTS } from "../support/values/actors.ts"
import type { CreateRunArgs, WorkflowRpc } from "../../src/schemas/rpc/workflow-rpc.ts"

const ARGS: CreateRunArgs = {
  workflow: "debate",
  input: { claim: "It is so." },
  options: {},
  harness: "offline",
  sessions: "agent",
  onEmpty: "wait",
  actor: NO_RIGHTS,
  fingerprint: "first",
}

type Fault = "lost" | "down" | null

/** The object of a run that does not exist yet, and what D1 has of it. */
const setUp = () => {
  const id = crypto.randomUUID()
  const object = () => env.WORKFLOWS.getByName(`test/${id}`)
  const stub = () => object() as unknown as WorkflowRpc
  const listed = async () =>
    (await env.DB.prepare("SELECT status FROM workflow_runs WHERE run_id = ?").bind(id).all()).results
  const audited = async () =>
    (await env.DB.prepare("SELECT action FROM audit WHERE subject = ? ORDER BY at").bind(id).all()).results.map(
      ({ action }) => action,
    )
  /** From now on D1 does not answer the object's batches: `lost`, although it executes them, or `down`. */
  const withFault = (fault: Fault) =>
    runInDurableObject(object(), (instance) => {
      const batch = async (statements: Array<D1PreparedStatement>) => {
        if (fault === "down") throw new Error("D1_ERROR: Network connection lost.")
        const done = await env.DB.batch(statements)
        if (fault === "lost") throw new Error("D1_ERROR: Network connection lost.")
        return done
      }
      const DB = fault === null ? env.DB : { prepare: (sql: string) => env.DB.prepare(sql), batch }
      Object.assign(instance, { env: { ...env, DB } })
    })
  return { id, object, stub, listed, audited, withFault }
}

const UNAVAILABLE = { ok: false, error: { type: "service_unavailable_error" } }

it("a run whose creation failed because D1's answer was lost is neither listed nor counted, and does not run", async () => {
  const { object, stub, listed, audited, withFault } = setUp()
  await withFault("lost")
  expect(await stub().create(ARGS)).toMatchObject(UNAVAILABLE)
  expect(await listed()).toHaveLength(1)
  // D1 stays away for a while.
  await withFault("down")
  expect(await runDurableObjectAlarm(object())).toBe(true)
  expect((await stub().info("debate")).ok).toBe(false)
  await withFault(null)
  expect(await runDurableObjectAlarm(object())).toBe(true)
  expect([await listed(), await audited()]).toEqual([[], []])
  expect((await stub().info("debate")).ok).toBe(false)
  expect(await runDurableObjectAlarm(object())).toBe(false)
})

it("a run that is created again after a failed creation is the one that D1 lists", async () => {
  const { stub, listed, audited, withFault } = setUp()
  await withFault("lost")
  expect(await stub().create(ARGS)).toMatchObject(UNAVAILABLE)
  await withFault("down")
  expect(await stub().create(ARGS)).toMatchObject(UNAVAILABLE)
  await withFault(null)
  const again = await stub().create({ ...ARGS, fingerprint: "second" })
  expect(again).toMatchObject({ ok: true, value: { created: true } })
  expect(await audited()).toEqual(["run:created"])
  // D1 follows the run from its start to its end.
  const ended = async () => (await listed()).map(({ status }) => status !== "queued" && status !== "running")
  await expect.poll(ended, { timeout: 10_000 }).toEqual([true])
})
