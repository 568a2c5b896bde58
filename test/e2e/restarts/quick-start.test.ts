// A new user's experience after the README: the offline model, streams on idle sessions, a port in use, a restart.
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { blocksOf, eventually, type Message, PerchClient } from "../../support/server/client.ts"
import { type PerchServer, startServer } from "../../support/server/server.ts"

let server: PerchServer
let perch: PerchClient

interface Delivery {
  readonly last_seq: number
  readonly delivery: { readonly lag_events: number; readonly stored_seq: number }
}

beforeAll(async () => {
  server = await startServer({ env: { PERCH_LOG: "debug" } })
  perch = new PerchClient(server)
})

afterAll(() => server?.dispose())

// The tests that leave the server running share the time in which the session is idle.
it.concurrent(
  "a stream on an idle session does not keep its object awake, and continues when the object is back",
  { timeout: 180_000 },
  async () => {
    const id = await perch.createSession({ permissionMode: "acceptEdits" })
    await perch.query(id, "List the files")
    // A new object has no id when it starts: these are the starts of an object that was evicted.
    const wakings = () => server.output().split(`"session object started","session":"${id}"`).length - 1
    /** Reads a stream while there are no requests, and up to the result of the prompt after that. */
    const rest = async () => {
      // What the session still has to deliver keeps it awake, and the check that D1 has its hook events wakes it.
      await eventually(async () => {
        const { delivery, last_seq } = await perch.json<Delivery>("GET", `/v1/sessions/${id}`)
        return delivery.lag_events === 0 && delivery.stored_seq === last_seq ? true : undefined
      }, 60_000)
      const before = await perch.events(id)
      const after = before.at(-1)!.seq
      const joined = await perch.request("GET", `/v1/sessions/${id}/events/stream?after=${after}`, { limitMs: 50_000 })
      const untilResult = perch.collect(joined, { until: ({ type }) => type === "result" })
      const wakeLater = async () => {
        // The runtime evicts an object that was idle for ten seconds; a request would wake it.
        await delay(14_000)
        expect(wakings()).toBe(0)
        await perch.query(id, "Create after.txt with the text: awake again")
      }
      const [received] = await Promise.all([untilResult, wakeLater()])
      return { before, received }
    }
    const woken = () => eventually(async () => wakings() === 1 || undefined, 5_000)
    let rested = await rest()
    // On a busy machine the runtime may notice later that an object is idle: it rests again then.
    for (let tries = 1; tries < 3 && !(await woken().catch(() => false)); tries += 1) rested = await rest()
    await woken()
    const { before, received } = rested
    const seqs = received.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
    const events = (await perch.events(id)).slice(before.length)
    expect(seqs).toEqual(
      events
        .filter(({ name }) => name.startsWith("sdk:"))
        .map(({ seq }) => seq)
        .slice(0, seqs.length),
    )
    expect(events.find(({ seq }) => seq === seqs.at(-1))?.name).toBe("sdk:result/success")
  },
)

it.concurrent("the model states that it is offline, and that it is not Claude", async () => {
  const response = await fetch(`${server.url}/v1/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "What is the meaning of life?" }),
    signal: AbortSignal.timeout(20_000),
  })
  expect(response.status).toBe(200)
  const result = (await response.json()) as Message // JSON answers are the `result` message
  expect(result.result).toMatch(/offline/i)
  expect(result.result).toMatch(/not Claude/i)
})

it.concurrent("a second server on the same port reports that the port is in use, and ends", async () => {
  await expect(startServer({ port: Number(new URL(server.url).port) })).rejects.toThrow(/is taken/)
})

it("SIGTERM to the start script ends every process that it started; the files are there after a restart", async () => {
  const id = await perch.createSession({ permissionMode: "acceptEdits" }, { "/workspace/a.txt": "alpha needle\n" })
  const prompt = 'Write "one needle" to b.txt, then search for needle in the files, then run `cp b.txt c.txt`'
  const messages = await perch.query(id, prompt)
  const calls = messages.flatMap(blocksOf).filter(({ type }) => type === "tool_use")
  expect(calls.map(({ name }) => name)).toEqual(["Write", "Grep", "Bash"])
  const read = async () => ({
    diff: await perch.json("GET", `/v1/sessions/${id}/diff`),
    files: await perch.json("GET", `/v1/sessions/${id}/files`),
    marked: await perch.json<{ checkpoints: ReadonlyArray<string> }>("GET", `/v1/sessions/${id}/checkpoints`),
  })
  const before = await read()
  expect(before.diff).toMatchObject({ files: [{ file: "/workspace/b.txt" }, { file: "/workspace/c.txt" }] })

  await server.stop()
  await expect(fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(2_000) })).rejects.toThrow()
  await server.restart()
  const response = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(5_000) })
  expect(response.status).toBe(200)
  expect(await read()).toEqual(before)
  const rewind = { user_message_id: before.marked.checkpoints[0] }
  expect(await perch.json("POST", `/v1/sessions/${id}/rewind`, { json: rewind })).toMatchObject({
    filesChanged: ["/workspace/b.txt", "/workspace/c.txt"],
    deletions: 2,
  })
  expect((await read()).files).toMatchObject({ files: [{ path: "/workspace/a.txt" }] })
})
