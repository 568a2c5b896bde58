// A connection that breaks: what is sent again, what the SDK sees of it, and when the client stops reconnecting.
import { once } from "node:events"
import http from "node:http"
import net, { type AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { errorAnswer, resultMessage, SESSION } from "./fake-perch.ts"
import { perchPerTest } from "./perch-per-test.ts"
import { prompt, rawProcess } from "./raw-process.ts"

const fake = perchPerTest()
const { start } = fake

describe("a connection", () => {
  it("carries numbered lines both ways, and acknowledges what it received", async () => {
    const { url, socket, requests } = await start()
    const run = rawProcess(url)
    run.write(prompt("one"))
    run.spawned.stdin.write('{"type":"user",')
    run.spawned.stdin.write('"text":"zwölf"}\n\n{"type":"last"}')
    run.end()
    const first = await socket(0)
    expect((await first.has(3)).map(({ number, frame }) => [number, frame])).toEqual([
      [1, prompt("one")],
      [2, { type: "user", text: "zwölf" }],
      [3, { type: "last" }],
    ])
    expect(requests[0]?.path).toBe("/v1/sessions")
    expect(Object.fromEntries(first.query)).toEqual({
      client: expect.stringMatching(/^[0-9a-f-]{36}$/),
      framing: "numbered",
      after: "head",
    })
    first.send("=busy", "+3", `4\t{"type":"a"}`, `\t{"type":"b"}`, `5\t${JSON.stringify(resultMessage())}`, "=idle", "")
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(run.lines).toEqual([{ type: "a" }, { type: "b" }, resultMessage()])
    expect(await first.closed).toBe(1000)
  })

  it("confirms that it has read everything before a receipt, which the SDK does not see", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    run.write(prompt("one"))
    const first = await socket(0)
    await first.has(1)
    first.send("+1", `4\t{"type":"a"}`, "?11111111-2222-4333-8444-555555555555")
    await run.printed(1)
    run.write(prompt("two"))
    await first.has(2)
    expect(first.receipts).toEqual(["?11111111-2222-4333-8444-555555555555"])
    first.send("+2", `5\t${JSON.stringify(resultMessage())}`, "=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(run.lines).toEqual([{ type: "a" }, resultMessage()])
  })

  it("is made through the proxy of the process", async () => {
    const { url, socket } = await start()
    const passed: Array<string> = []
    const proxy = http.createServer().on("upgrade", (request, near: net.Socket) => {
      const { host, port, pathname, search } = new URL(request.url ?? "")
      passed.push(host)
      const far = net.connect(Number(port), "127.0.0.1", () => {
        const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
        far.write(`GET ${pathname}${search} HTTP/1.1\r\n${headers.join("")}\r\n`)
        far.pipe(near).pipe(far)
      })
    })
    await once(proxy.listen(0, "127.0.0.1"), "listening")
    const direct = http.globalAgent
    const { port } = proxy.address() as AddressInfo // a TCP server has one
    // As Node does at its start with NODE_USE_ENV_PROXY=1.
    http.globalAgent = new http.Agent({ proxyEnv: { HTTP_PROXY: `http://127.0.0.1:${port}` } })
    try {
      const run = rawProcess(url)
      run.write(prompt("one"))
      await (await socket(0)).has(1)
      expect(passed).toEqual([new URL(url).host])
      run.spawned.kill("SIGKILL")
      await run.exit()
    } finally {
      http.globalAgent = direct
      proxy.close()
    }
  })

  it("reassembles characters and lines that arrived in pieces", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    const bytes = Buffer.from('{"text":"ß𝄞"}\n')
    for (const byte of bytes) run.spawned.stdin.write(Buffer.from([byte]))
    expect((await (await socket(0)).has(1))[0]?.frame).toEqual({ text: "ß𝄞" })
    run.spawned.kill("SIGKILL")
    expect(await run.exit()).toEqual({ code: null, signal: "SIGKILL" })
  })

  it("reconnects as the same client, after the last seq, with the unacknowledged lines", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    for (const text of ["one", "two", "three"]) run.write(prompt(text))
    const first = await socket(0)
    await first.has(3)
    first.send("=busy", "+1")
    first.emit(7, { type: "a" })
    await run.printed(1)
    first.raw.terminate()
    const second = await socket(1)
    run.write(prompt("four"))
    expect((await second.has(3)).map(({ number, frame }) => [number, frame])).toEqual([
      [2, prompt("two")],
      [3, prompt("three")],
      [4, prompt("four")],
    ])
    expect(Object.fromEntries(second.query)).toEqual({
      client: first.query.get("client"),
      framing: "numbered",
      after: "7",
    })
    second.send("+4", `7\t{"type":"a"}`, `8\t{"type":"b"}`, "=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(run.lines).toEqual([{ type: "a" }, { type: "b" }])
  })

  it("that broke before anything was sent resumes from the seq at which the session was opened", async () => {
    const { url, socket } = await start({ answer: () => ({ status: 200, json: { id: SESSION, last_seq: 41 } }) })
    const run = rawProcess(url)
    ;(await socket(0)).raw.terminate()
    const second = await socket(1)
    expect(second.query.get("after")).toBe("41")
    second.send("=idle", "+1")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })

  it("does not use the state of the previous connection", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    run.write(prompt("one"))
    const first = await socket(0)
    await first.has(1)
    first.send("=idle")
    first.emit("", { type: "a" })
    await run.printed(1)
    first.raw.terminate()
    const second = await socket(1)
    await second.has(1)
    run.end()
    second.send("+1")
    second.send("=busy")
    second.emit(1, resultMessage({ is_error: true }))
    second.send("=idle")
    expect(await run.exit()).toEqual({ code: 1, signal: null })
  })

  it("asks for the session's state when it reconnects with nothing to send", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    run.write(prompt("one"))
    const first = await socket(0)
    await first.has(1)
    first.send("=busy", "+1")
    first.emit(1, { type: "a" })
    await run.printed(1)
    run.end()
    first.raw.terminate()
    const second = await socket(1)
    expect((await second.has(1))[0]).toMatchObject({ number: 2, frame: { type: "keep_alive" } })
    second.emit(2, resultMessage())
    second.send("=idle", "+2")
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(run.lines).toHaveLength(2)
  })

  it("forwards an ask that is sent again only once, and drops the withdrawal of one that was never forwarded", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    const ask = { type: "control_request", request_id: "r1", request: { subtype: "can_use_tool" } }
    const first = await socket(0)
    first.emit("", ask)
    await run.printed(1)
    first.raw.terminate()
    const second = await socket(1)
    second.emit("", ask)
    second.emit("", { type: "control_cancel_request", request_id: "r0" })
    second.emit("", { type: "control_cancel_request", request_id: "r1" })
    second.send("=idle", "+1")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(run.lines).toEqual([ask, { type: "control_cancel_request", request_id: "r1" }])
  })

  it("is retried five times, and another five times after it succeeded", async () => {
    const { url, socket } = await start({
      refuse: (attempt) =>
        attempt === 6 || attempt === 11 ? undefined : errorAnswer(503, "not_configured_error", "not yet"),
    })
    const run = rawProcess(url)
    const first = await socket(0)
    first.send("=busy")
    first.emit(1, { type: "a" })
    await run.printed(1)
    first.raw.terminate()
    const second = await socket(1)
    expect(fake.server?.attempts).toBe(11)
    second.send("=idle", "+1")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })

  it("that can't be restored ends in an error with the reason", async () => {
    const { url, socket } = await start({
      refuse: (attempt) => (attempt === 1 ? undefined : errorAnswer(503, "not_configured_error", "no key is set")),
    })
    const run = rawProcess(url)
    ;(await socket(0)).raw.terminate()
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(fake.server?.attempts).toBe(6)
    expect(run.lines).toEqual([
      expect.objectContaining({
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        session_id: SESSION,
        errors: [`The connection to ${url} was lost and could not be made again: no key is set`],
      }),
    ])
    expect(run.spawned.stdin.destroyed).toBe(true)
  })

  it("that is refused is not retried", async () => {
    const { url } = await start({ refuse: () => errorAnswer(404, "not_found_error", "no such session") })
    const run = rawProcess(url)
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(fake.server?.attempts).toBe(1)
    expect(run.lines[0]?.errors).toEqual([expect.stringContaining("no such session")])
  })

  it("that is refused by a limit is made again after the delay that the server asks for", async () => {
    const { url, socket } = await start({
      refuse: (attempt) =>
        attempt === 1 ? errorAnswer(429, "rate_limit_error", "too many requests", { "retry-after": "0" }) : undefined,
    })
    const run = rawProcess(url)
    const first = await socket(0)
    expect(fake.server?.attempts).toBe(2)
    first.send("=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })

  it("that is refused for longer than a minute ends in an error with the reason", async () => {
    const { url } = await start({
      refuse: () => errorAnswer(429, "rate_limit_error", "the budget is spent", { "retry-after": "3600" }),
    })
    const run = rawProcess(url)
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(fake.server?.attempts).toBe(1)
    expect(run.lines[0]?.errors).toEqual([expect.stringContaining("the budget is spent")])
  })

  it.each([
    ["an error of the client's", 4404, "the session was erased"],
    ["1009, for a line that would be too long again", 1009, "a line is too long"],
  ])("that is closed with %s is not tried again", async (_, code, reason) => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    ;(await socket(0)).raw.close(code, reason)
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(fake.server?.attempts).toBe(1)
    expect(run.lines[0]?.errors).toEqual([expect.stringContaining(reason)])
  })

  it("is replaced when its server has closed it and does not end it", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url, { timing: { closeMs: 20 } })
    const first = await socket(0)
    first.raw.close(1013, "too much is unread")
    first.raw.pause()
    const second = await socket(1)
    expect(first.raw.readyState).toBe(first.raw.CLOSING)
    second.send("=idle", "+1")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })

  it("that is dead is detected", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url, { timing: { heartbeatMs: 20 } })
    const first = await socket(0)
    // A machine that is gone answers no ping.
    first.raw.pause()
    const second = await socket(1)
    expect(second.query.get("client")).toBe(first.query.get("client"))
    second.send("=idle", "+1")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })
})

describe("unread output", () => {
  it("is held back by the network, and is complete when it is read", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url, { read: false, timing: { heartbeatMs: 20 } })
    const first = await socket(0)
    const text = "x".repeat(64 * 1024)
    const count = 1000
    for (let seq = 1; seq <= count; seq += 1) first.emit(seq, { seq, text })
    first.send("=idle")
    run.end()
    // More than the network and the client buffer together: the rest waits on the server.
    expect(first.raw.bufferedAmount).toBeGreaterThan(16 * 1024 * 1024)
    expect(run.spawned.stdout.readableLength).toBeLessThan(4 * 1024 * 1024)
    let read = ""
    for await (const chunk of run.spawned.stdout.setEncoding("utf8")) {
      read += String(chunk)
      expect(run.spawned.stdout.readableLength).toBeLessThan(4 * 1024 * 1024)
    }
    const seqs = read.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { seq: number }).seq]))
    expect(seqs).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })

  it("also stops the SDK from writing without limit", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url)
    const big = { type: "user", text: "x".repeat(9 * 1024 * 1024) }
    run.write(big)
    run.write({ type: "small" })
    const first = await socket(0)
    await first.has(1)
    expect(run.spawned.stdin.writableLength).toBeGreaterThan(0)
    first.send("+1")
    await first.has(2)
    first.send("+2", "=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })
})
