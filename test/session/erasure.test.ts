// The end of a session: what is asked for twice, and what comes too late.
import { afterEach, expect, it } from "vitest"
import type { Env } from "../../src/schemas/env.ts"
import { SessionErasure } from "../../src/session/erasure.ts"
import { answerFetch, type FetchParts } from "../../src/session/pages/fetch.ts"
import type { HookPack } from "../../src/store/delivery/hook-message.ts"
import { type Booted, SessionHarness } from "../support/session/session-harness.ts"

const open: Array<SessionHarness> = []
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.dispose()
})

/** A session, and the hook events that the Queue got of it. No model is asked. */
const session = () => {
  const sent: Array<string> = []
  const sendBatch = async (messages: ReadonlyArray<{ readonly body: HookPack }>) => {
    sent.push(...messages.flatMap(({ body }) => body.events.map((event) => event.hook_event_name)))
  }
  // Sessions send batches and call nothing else of the Queue.
  const HOOKS = { sendBatch } as unknown as Env["HOOKS"]
  const harness = new SessionHarness("http://127.0.0.1:9", {}, { HOOKS })
  open.push(harness)
  const booted = harness.boot()
  const { core } = booted.open
  const erasure = new SessionErasure(core.context, booted.life, booted.share)
  return { harness, booted, sent, erase: () => erasure.erase(booted.open) }
}

/** Files need neither sockets nor a watch of them. */
const filesOf = ({ life }: Booted) => ({ life }) as unknown as FetchParts

/** A request whose body comes in two pieces. */
const upload = (path: string) => {
  const pieces = new TransformStream<Uint8Array, Uint8Array>()
  const writer = pieces.writable.getWriter()
  const request = new Request(`http://session${path}`, {
    method: "PUT",
    body: pieces.readable,
    duplex: "half",
  } as RequestInit)
  return { request, write: (text: string) => writer.write(new TextEncoder().encode(text)), end: () => writer.close() }
}

const rowsOf = ({ twin }: SessionHarness) =>
  ["events", "inbox", "asks", "tool_runs", "files", "blobs", "checkpoints", "meta"].flatMap((table) =>
    twin.database
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map(() => table),
  )

it("a session that is erased twice at once ends once, and both have the same receipt", async () => {
  const { harness, sent, erase } = session()
  const [first, second] = await Promise.all([erase(), erase()])
  expect(second).toEqual(first)
  expect(first).toMatchObject({ deleted: true, events: 1 })
  expect(sent).toEqual(["SessionEnd"])
  expect(rowsOf(harness)).toEqual(["meta"])
})

it("a file that was on its way while its session was erased is not kept", async () => {
  const { harness, booted, erase } = session()
  const { request, write, end } = upload("/files/workspace/secret.txt")
  const answer = answerFetch(filesOf(booted), request)
  await write("first half, ")
  await erase()
  await Promise.all([write("second half"), end()])
  expect((await answer).status).toBe(404)
  expect(rowsOf(harness)).toEqual(["meta"])
})
