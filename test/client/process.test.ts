// How a process starts and ends: the session that it opens or can't open, its exit codes, and the effect of a kill.
import { describe, expect, it } from "vitest"
import { errorAnswer, type FakePerchOptions, resultMessage, SESSION } from "./fake-perch.ts"
import { perchPerTest } from "./perch-per-test.ts"
import { prompt, rawProcess } from "./raw-process.ts"

const A = "11111111-1111-4111-8111-111111111111"

const fake = perchPerTest()
const { sent, start } = fake

/** A run whose first line is acknowledged and whose prompt is open. */
const busy = async (options: FakePerchOptions = {}, args: ReadonlyArray<string> = []) => {
  const { url, socket } = await start(options)
  const run = rawProcess(url, { args })
  run.write(prompt("go"))
  const first = await socket(0)
  await first.has(1)
  first.send("=busy", "+1")
  first.emit(1, { type: "assistant" })
  await run.printed(1)
  return { run, socket: first }
}

describe("a process that can't start", () => {
  it.each([
    [401, "authentication_error", "the key is unknown", /^Invalid API key · .* refused its key: the key is unknown$/],
    [404, "not_found_error", "no session has this id", new RegExp(`^No conversation found with session ID: ${A}$`)],
    [
      404,
      "not_found_error",
      `there is no message ${A} in the conversation`,
      new RegExp(`^No message found with message\\.uuid of: ${A}$`),
    ],
    [400, "invalid_request_error", "options.maxTurns: expected a value", /^options\.maxTurns: expected a value$/],
    [529, "overloaded_error", "too much to do", /^too much to do$/],
  ])("has the server's reason in its result: %i", async (status, type, message, expected) => {
    const { url } = await start({ answer: () => errorAnswer(status, type, message) })
    const run = rawProcess(url, { args: [`--resume=${A}`, `--resume-session-at=${A}`] })
    run.write(prompt("go"))
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(run.lines).toEqual([
      {
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        duration_ms: 0,
        duration_api_ms: 0,
        num_turns: 0,
        stop_reason: null,
        total_cost_usd: 0,
        usage: expect.objectContaining({ input_tokens: 0, output_tokens: 0 }),
        modelUsage: {},
        permission_denials: [],
        errors: [expect.stringMatching(expected)],
        result_index: 0,
        session_id: A,
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
    expect(fake.server?.attempts).toBe(0)
  })

  it.each([
    [{ status: 502, json: "<html>" }, "The server answered 502"],
    [{ status: 200, json: { hello: "world" } }, "did not answer as a Perch server does"],
    [{ status: 201, json: [] }, "did not answer as a Perch server does"],
    [{ status: 204, json: undefined }, "did not answer as a Perch server does"],
  ])("reports that another server is none: %j", async (answer, words) => {
    const { url } = await start({ answer: () => answer })
    const run = rawProcess(url)
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(run.lines[0]?.errors).toEqual([expect.stringContaining(words)])
  })

  it("reports that no server answers", async () => {
    const { url } = await start()
    await fake.close()
    const run = rawProcess(url)
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(run.lines[0]?.errors).toEqual([expect.stringMatching(`^Perch at ${url} cannot be reached: .*ECONNREFUSED`)])
  })
})

describe("an id that the app chooses for a new session", () => {
  it("can't be one that is in use", async () => {
    const { url } = await start({ answer: () => errorAnswer(409, "conflict_error", "a session with this id exists") })
    const run = rawProcess(url, { args: [`--session-id=${A}`] })
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(run.lines[0]?.errors).toEqual([expect.stringMatching(`^Session ID ${A} is already in use\\. `)])
    expect(fake.server?.requests[0]?.body).not.toHaveProperty("on_exists")
  })

  it("may be an existing one with spawnPerch", async () => {
    const { url, socket } = await start()
    rawProcess(url, { sessionId: A }).write(prompt("go"))
    await (await socket(0)).has(1)
    expect(fake.server?.requests[0]?.body).toMatchObject({ id: A, on_exists: "attach" })
  })
})

describe("an ask of the server", () => {
  const ask = { type: "control_request", request_id: "q1", request: { subtype: "can_use_tool", tool_name: "Write" } }

  it("is forwarded after the lines of the same message, and before later asks and withdrawals", async () => {
    const { run, socket } = await busy()
    socket.send(
      `\t${JSON.stringify(ask)}`,
      `\t${JSON.stringify({ type: "control_request", request_id: "h1", request: { subtype: "hook_callback" } })}`,
      `\t${JSON.stringify({ type: "control_cancel_request", request_id: "q1" })}`,
      `2\t${JSON.stringify({ type: "user" })}`,
    )
    const lines = await run.printed(5)
    expect(lines.map(({ type, request_id: id }) => id ?? type)).toEqual(["assistant", "user", "q1", "h1", "q1"])
  })
})

describe("a request of the SDK", () => {
  const request = (id: string, subtype: string) => ({ type: "control_request", request_id: id, request: { subtype } })
  const answer = (id: string) => ({ type: "control_response", response: { subtype: "success", request_id: id } })

  it("is answered before the process ends", async () => {
    const { run, socket } = await busy()
    run.write(request("r1", "interrupt"))
    run.end()
    await socket.has(2)
    socket.emit(2, resultMessage({ is_error: true }))
    socket.send("=idle", "+2")
    await run.printed(2)
    expect(run.spawned.exitCode).toBeNull()
    socket.emit("", answer("r1"))
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(run.lines.map(({ type }) => type)).toEqual(["assistant", "result", "control_response"])
  })

  it("to end the session ends the process even while its input is open", async () => {
    const { run, socket } = await busy()
    run.write(request("r1", "end_session"))
    await socket.has(2)
    socket.emit("", answer("r1"))
    socket.send("+2")
    socket.emit(2, resultMessage({ is_error: true }))
    socket.send("=idle")
    expect(await run.exit()).toEqual({ code: 1, signal: null })
  })
})

describe("a process that ends", () => {
  it("waits until its lines are acknowledged and no prompt is open", async () => {
    const { run, socket } = await busy()
    run.write(prompt("more"))
    run.end()
    await socket.has(2)
    socket.emit(2, resultMessage())
    socket.send("=idle")
    socket.send("=busy", "+2")
    socket.emit(3, resultMessage({ result: "more" }))
    await run.printed(3)
    expect(run.spawned.exitCode).toBeNull()
    socket.send("=idle")
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(await socket.closed).toBe(1000)
    expect(run.spawned.exitCode).toBe(0)
    expect(run.spawned.kill()).toBe(false)
    expect(run.spawned.killed).toBe(false)
  })

  it.each([
    [[true], 1],
    [[true, false], 0],
    [[false, true], 1],
  ])("after results with is_error %j exits with %i", async (results, code) => {
    const { run, socket } = await busy()
    for (const [index, isError] of results.entries()) socket.emit(index + 2, resultMessage({ is_error: isError }))
    socket.send("=idle")
    run.end()
    expect(await run.exit()).toEqual({ code, signal: null })
  })

  it("deletes a session that it created and that is not persistent", async () => {
    const { run, socket } = await busy({}, ["--no-session-persistence"])
    socket.emit(2, resultMessage())
    socket.send("=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(sent()).toEqual(["POST /v1/sessions", `DELETE /v1/sessions/${SESSION}`])
    expect(fake.server?.requests[1]?.headers.authorization).toBe("Bearer key")
  })

  it("keeps a session that existed before", async () => {
    const there: FakePerchOptions = { answer: () => ({ status: 200, json: { id: SESSION } }) }
    const { run, socket } = await busy(there, ["--no-session-persistence"])
    socket.emit(2, resultMessage())
    socket.send("=idle")
    run.end()
    await run.exit()
    expect(sent()).toEqual(["POST /v1/sessions"])
  })

  it("warns of a session that could not be deleted", async () => {
    const answer: NonNullable<FakePerchOptions["answer"]> = ({ method }) =>
      method === "DELETE" ? errorAnswer(500, "api_error", "not now") : undefined
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve))
    const { run, socket } = await busy({ answer }, ["--no-session-persistence"])
    socket.emit(2, resultMessage())
    socket.send("=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect((await warned).message).toBe(`Perch session ${SESSION} was not erased: not now`)
  })
})

describe("a process whose input has ended", () => {
  const ask = (id: string, request: object) => ({ type: "control_request", request_id: id, request })
  const canUseTool = { subtype: "can_use_tool", tool_name: "Write", input: {} }

  it("answers the SDK's open requests with an error, so that the call ends", async () => {
    const { run, socket } = await busy()
    socket.emit(2, ask("r1", canUseTool))
    socket.emit(3, ask("r2", canUseTool))
    socket.emit(4, ask("r3", canUseTool))
    await run.printed(4)
    run.write({ type: "control_response", response: { subtype: "success", request_id: "r1", response: {} } })
    socket.emit(5, { type: "control_cancel_request", request_id: "r2" })
    await run.printed(5)
    run.end()
    const lines = await socket.has(3)
    expect(lines.slice(1).map(({ json }) => JSON.parse(json).response)).toEqual([
      { subtype: "success", request_id: "r1", response: {} },
      { subtype: "error", request_id: "r3", error: "The client has closed its input and answers no more." },
    ])
  })
})

describe("a process that is killed", () => {
  const endSession = {
    type: "control_request",
    request_id: expect.any(String),
    request: { subtype: "end_session" },
  }

  it("first ends what runs on the server, and emits no more", async () => {
    const { run, socket } = await busy()
    expect(run.spawned.kill("SIGTERM")).toBe(true)
    expect(run.spawned.killed).toBe(true)
    expect(run.spawned.exitCode).toBeNull()
    const [, second] = await socket.has(2)
    expect(second).toMatchObject({ number: 2, frame: endSession })
    socket.emit(2, { type: "late" })
    socket.send("+2")
    expect(await run.exit()).toEqual({ code: 143, signal: null })
    expect(run.lines).toEqual([{ type: "assistant" }])
    expect(await socket.closed).toBe(1000)
    expect(run.spawned.kill("SIGKILL")).toBe(false)
    expect(run.spawned).toMatchObject({ exitCode: 143, signalCode: null })
  })

  it("by its signal behaves the same", async () => {
    const { run, socket } = await busy()
    run.abort.abort()
    expect((await socket.has(2))[1]?.frame).toEqual(endSession)
    socket.send("+2")
    expect(await run.exit()).toEqual({ code: 143, signal: null })
  })

  it("does not wait for a server that sends nothing", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url, { timing: { closeMs: 20 } })
    run.write(prompt("go"))
    const first = await socket(0)
    await first.has(1)
    run.spawned.kill("SIGTERM")
    expect(await run.exit()).toEqual({ code: 143, signal: null })
    expect((await first.has(2))[1]?.frame).toEqual(endSession)
  })

  it("has nothing to interrupt when no prompt is open", async () => {
    const { run, socket } = await busy()
    socket.emit(2, resultMessage())
    socket.send("=idle")
    socket.emit("", { type: "after" })
    await run.printed(3)
    run.spawned.kill("SIGTERM")
    expect(await run.exit()).toEqual({ code: 143, signal: null })
    await socket.closed
    expect(socket.lines).toHaveLength(1)
  })

  it("also interrupts while stdout is not read", async () => {
    const { url, socket } = await start()
    const run = rawProcess(url, { read: false })
    run.write(prompt("go"))
    const first = await socket(0)
    await first.has(1)
    first.send("=busy", "+1")
    for (let seq = 1; seq <= 1000; seq += 1) first.emit(seq, { text: "x".repeat(10_000) })
    run.spawned.kill("SIGTERM")
    await first.has(2)
    first.send("+2")
    expect(await run.exit()).toEqual({ code: 143, signal: null })
  })

  it("deletes a session that is not persistent", async () => {
    const { run, socket } = await busy({}, ["--no-session-persistence"])
    run.spawned.kill("SIGTERM")
    await socket.has(2)
    socket.send("+2")
    expect(await run.exit()).toEqual({ code: 143, signal: null })
    expect(sent()).toEqual(["POST /v1/sessions", `DELETE /v1/sessions/${SESSION}`])
  })

  it("by SIGKILL ends at once, with that signal", async () => {
    const { run, socket } = await busy()
    run.spawned.kill("SIGKILL")
    expect(await run.exit()).toEqual({ code: null, signal: "SIGKILL" })
    expect(await socket.closed).toBe(1006)
    expect(socket.lines).toHaveLength(1)
    expect(run.spawned).toMatchObject({ exitCode: null, signalCode: "SIGKILL", killed: true })
    expect(run.spawned.kill("SIGTERM")).toBe(false)
  })

  it("by SIGKILL while it interrupts ends at once", async () => {
    const { run, socket } = await busy()
    run.spawned.kill("SIGTERM")
    await socket.has(2)
    run.spawned.kill("SIGKILL")
    expect(await run.exit()).toEqual({ code: null, signal: "SIGKILL" })
  })

  it("before its session exists opens none", async () => {
    const { url } = await start()
    const run = rawProcess(url)
    run.spawned.kill("SIGTERM")
    expect(await run.exit()).toEqual({ code: 143, signal: null })
    expect(run.lines).toEqual([])
    expect(fake.server?.attempts).toBe(0)
  })
})
