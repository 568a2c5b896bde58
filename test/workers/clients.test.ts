// Clients of the control protocol on a real object: what wakes it and what does not, asks that outlive it, and the cost of
// their turns.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import type { SessionObject } from "../../src/session/session-object.ts"
import { created, statusOf, type Stub, submit, until } from "./session-stub.ts"

type Frame = Readonly<Record<string, unknown>>

/** A client's socket, with the frames that it received. */
const connect = async (rpc: Stub, client: string, after: string = "head") => {
  const response = await rpc.fetch(`http://session/socket?client=${client}&after=${after}`, {
    headers: { Upgrade: "websocket" },
  })
  const socket = response.webSocket
  if (!socket) throw new Error("no socket")
  const frames: Array<Frame> = []
  const responder = { answer: (_: Frame): Frame | undefined => undefined }
  socket.accept()
  socket.addEventListener("message", (message) => {
    for (const line of String(message.data).split("\n")) {
      if (line === "") continue
      const frame = JSON.parse(line) as Frame
      frames.push(frame)
      const answer = responder.answer(frame)
      if (answer !== undefined) send(answer)
    }
  })
  const send = (frame: Frame) => socket.send(`${JSON.stringify(frame)}\n`)
  const find = (type: string) => until(() => frames.find((frame) => frame["type"] === type))
  return { socket, frames, send, find, responder }
}

const answerTo = (id: unknown, response: Frame): Frame => ({
  type: "control_response",
  response: { subtype: "success", request_id: id, response },
})

const ASKING = "create a.txt with alpha"

const fileOf = async (rpc: Stub) => (await rpc.fetch("http://session/files/workspace/a.txt")).text()

/** The rows that `work` makes the object write, before anything is sent to D1 and the Queue. */
const rowsOf = async (object: DurableObjectStub<SessionObject>, work: () => Promise<unknown>): Promise<number> => {
  const count = () => runInDurableObject(object, (instance: { rowsWritten: number }) => instance.rowsWritten)
  const caughtUp = async () => {
    const { last, d1 } = await runInDurableObject(object, (_: object, state: DurableObjectState) => {
      const row = state.storage.sql.exec<{ json: string }>("SELECT json FROM meta WHERE key = 'outbox'").toArray()[0]
      return {
        last: state.storage.sql.exec<{ seq: number }>("SELECT MAX(seq) AS seq FROM events").one().seq,
        d1: row === undefined ? 0 : (JSON.parse(row.json) as { d1_seq: number }).d1_seq,
      }
    })
    return d1 < last ? undefined : true
  }
  await until(caughtUp)
  const before = await count()
  await work()
  await until(caughtUp)
  return (await count()) - before
}

describe("a client's heartbeat", () => {
  it("is answered while the object sleeps, and is not a line of the protocol", async () => {
    const { rpc, object } = await created({})
    const { socket, frames, send } = await connect(rpc, crypto.randomUUID())
    await evictDurableObject(object)
    send({ type: "keep_alive" })
    await until(() => frames.find((frame) => frame["type"] === "keep_alive"))
    const answeredAt = await runInDurableObject(object, (_: object, state: DurableObjectState) =>
      state.getWebSockets().map((one) => state.getWebSocketAutoResponseTimestamp(one)),
    )
    expect(answeredAt).toEqual([expect.any(Date)])
    socket.close()
  })
})

describe("an ask that is parked", () => {
  it("outlives the object and continues with an answer by RPC", async () => {
    const { rpc, object } = await created({})
    const turn = await submit(rpc, ASKING)
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "requires_action" })
    await evictDurableObject(object)
    const asks = await rpc.asks()
    if (!asks.ok) throw new Error(asks.error.message)
    expect(asks.value).toMatchObject([{ turn_id: turn, tool_name: "Write" }])
    expect(await rpc.answer(asks.value[0]!.request_id, { behavior: "allow" })).toMatchObject({ ok: true })
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed", result: { subtype: "success" } })
    expect(await fileOf(rpc)).toBe("alpha")
  })

  it("outlives the object with its client's socket open, and continues with an answer over it", async () => {
    const { rpc, object } = await created({})
    const turn = await submit(rpc, ASKING)
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "requires_action" })
    const client = await connect(rpc, crypto.randomUUID(), "1")
    const ask = await client.find("control_request")
    expect(ask["request"]).toMatchObject({ subtype: "can_use_tool", tool_name: "Write" })
    await evictDurableObject(object)
    client.send(answerTo(ask["request_id"], { behavior: "allow" }))
    expect(await client.find("result")).toMatchObject({ subtype: "success" })
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed" })
    expect(await fileOf(rpc)).toBe("alpha")
    client.socket.close()
  })
})

describe("hooks of a client", () => {
  const HOOKS = { PreToolUse: [{ hookCallbackIds: ["pre"] }], Stop: [{ hookCallbackIds: ["stop"] }] }

  const initialized = async (rpc: Stub) => {
    const client = await connect(rpc, crypto.randomUUID())
    client.responder.answer = (frame) =>
      (frame["request"] as Frame | undefined)?.["subtype"] === "hook_callback"
        ? answerTo(frame["request_id"], {})
        : undefined
    client.send({ type: "control_request", request_id: "init", request: { subtype: "initialize", hooks: HOOKS } })
    expect(await client.find("control_response")).toMatchObject({ response: { subtype: "success" } })
    return client
  }

  it("are called by the reloaded object", async () => {
    const { rpc, object } = await created()
    const client = await initialized(rpc)
    await evictDurableObject(object)
    const turn = await submit(rpc, ASKING)
    expect(await statusOf(rpc, turn)).toMatchObject({ status: "completed" })
    const called = client.frames
      .filter((frame) => frame["type"] === "control_request")
      .map((frame) => (frame["request"] as Frame)["callback_id"])
    expect(called).toEqual(["pre", "stop"])
    client.socket.close()
  })

  it("cost a turn no additional rows", async () => {
    const quiet = await created()
    const asked = await created()
    const client = await initialized(asked.rpc)
    const turnOf = async ({ rpc }: { readonly rpc: Stub }) => statusOf(rpc, await submit(rpc, "Hello, who are you?"))
    await turnOf(quiet)
    await turnOf(asked)
    const without = await rowsOf(quiet.object, () => turnOf(quiet))
    const withHooks = await rowsOf(asked.object, () => turnOf(asked))
    expect(without + 1).toBeLessThanOrEqual(16)
    expect(withHooks).toBe(without)
    client.socket.close()
  })

  it("around a call cost at most one additional row: that the call ran", async () => {
    const { rpc, object } = await created()
    const write = (name: string) => async () => statusOf(rpc, await submit(rpc, `create ${name} with alpha`))
    await write("zero.txt")()
    const without = await rowsOf(object, write("one.txt"))
    const client = await connect(rpc, crypto.randomUUID())
    client.responder.answer = (frame) =>
      (frame["request"] as Frame | undefined)?.["subtype"] === "hook_callback"
        ? answerTo(frame["request_id"], {})
        : undefined
    const hooks = { PreToolUse: HOOKS.PreToolUse, PostToolUse: [{ hookCallbackIds: ["post"] }] }
    client.send({ type: "control_request", request_id: "init", request: { subtype: "initialize", hooks } })
    await client.find("control_response")
    const withHooks = await rowsOf(object, write("two.txt"))
    expect(withHooks - without).toBeLessThanOrEqual(1)
    client.socket.close()
  })
})

describe("a socket whose key has expired", () => {
  it("is closed with 4401 by the alarm, although its object was evicted in the meantime", async () => {
    const { rpc, object } = await created({})
    const id = crypto.randomUUID().replaceAll("-", "").slice(0, 16)
    await env.DB.prepare("INSERT INTO api_keys (tenant, id, hash, created_at) VALUES ('test', ?, ?, 0)")
      .bind(id, id)
      .run()
    const rights = { roles: ["observe"], bypass: false, files: false, generation: 0, expires: null }
    const actor = { key: id, ...rights, checked: Date.now() - 60_000 }
    const response = await rpc.fetch("http://session/socket?client=c&after=head", {
      headers: { Upgrade: "websocket", "x-perch-actor": JSON.stringify(actor) },
    })
    const socket = response.webSocket!
    const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)))
    socket.accept()
    await evictDurableObject(object)
    expect(await runDurableObjectAlarm(object)).toBe(true)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    await env.DB.prepare("UPDATE api_keys SET revoked_at = 1 WHERE id = ?").bind(id).run()
    await evictDurableObject(object)
    await runDurableObjectAlarm(object)
    expect(await closed).toBe(4401)
  })
})
