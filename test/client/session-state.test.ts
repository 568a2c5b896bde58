// Reports that the session is idle, on which the SDK ends its run.
import { expect, it } from "vitest"
import { resultMessage } from "./fake-perch.ts"
import { perchPerTest } from "./perch-per-test.ts"
import { prompt, rawProcess } from "./raw-process.ts"

const { start } = perchPerTest()

it("no report that the session is idle is passed on while a prompt is on its way to the server", async () => {
  const { url, socket } = await start()
  const run = rawProcess(url, { env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" } })
  const idle = { type: "system", subtype: "session_state_changed", state: "idle" }
  run.write(prompt("one"))
  const first = await socket(0)
  await first.has(1)
  run.write(prompt("two"))
  await first.has(2)
  first.send("=busy", "+1", `4\t${JSON.stringify(resultMessage())}`, `\t${JSON.stringify(idle)}`, "=idle")
  first.send(
    "=busy",
    "+2",
    `7\t${JSON.stringify(resultMessage({ result: "two" }))}`,
    "=idle",
    `\t${JSON.stringify(idle)}`,
  )
  await run.printed(3)
  // A prompt that the server has received before opens no turn.
  run.write(prompt("two"))
  await first.has(3)
  first.send(`\t${JSON.stringify({ ...idle, uuid: "again" })}`, "=idle")
  first.send("=idle", "+3")
  run.end()
  expect(await run.exit()).toEqual({ code: 0, signal: null })
  expect(run.lines).toEqual([resultMessage(), resultMessage({ result: "two" }), idle, { ...idle, uuid: "again" }])
})

it("the report is passed on when only answers are on their way, also while a background command keeps the server busy", async () => {
  const { url, socket } = await start()
  const run = rawProcess(url, { env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" } })
  const idle = { type: "system", subtype: "session_state_changed", state: "idle" }
  run.write(prompt("one"))
  const first = await socket(0)
  await first.has(1)
  first.send("=busy", "+1")
  run.write({ type: "control_response", response: { subtype: "success", request_id: "h1", response: {} } })
  await first.has(2)
  first.send(`4\t${JSON.stringify(resultMessage())}`, `5\t${JSON.stringify(idle)}`, "=busy", "+2")
  await run.printed(2)
  first.send("=idle")
  run.end()
  expect(await run.exit()).toEqual({ code: 0, signal: null })
  expect(run.lines).toEqual([resultMessage(), idle])
})

it("no report that the session is idle is passed on while the app may still react to the response to its interrupt", async () => {
  const { url, socket } = await start()
  const run = rawProcess(url, { env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" } })
  const idle = { type: "system", subtype: "session_state_changed", state: "idle" }
  const interrupted = (id: string) => ({ type: "control_response", response: { subtype: "success", request_id: id } })
  const interrupt = async (id: string, before: number) => {
    run.write({ type: "control_request", request_id: id, request: { subtype: "interrupt" } })
    await first.has(before + 1)
  }
  run.write(prompt("one"))
  const first = await socket(0)
  await first.has(1)
  await interrupt("a", 1)
  first.send("=busy", "+2", `\t${JSON.stringify(interrupted("a"))}`)
  first.send(`4\t${JSON.stringify(resultMessage())}`, `\t${JSON.stringify(idle)}`, "=idle")
  await run.printed(2)
  run.write(prompt("two"))
  await first.has(3)
  first.send("=busy", "+3")
  await interrupt("b", 3)
  const second = resultMessage({ result: "two" })
  first.send("+4", `\t${JSON.stringify(interrupted("b"))}`, `7\t${JSON.stringify(second)}`)
  first.send(`\t${JSON.stringify({ ...idle, uuid: "b" })}`, "=idle")
  // Nothing follows: the report is passed on after all.
  await run.printed(5)
  await interrupt("c", 4)
  first.send("+5", `\t${JSON.stringify(interrupted("c"))}`, `\t${JSON.stringify({ ...idle, uuid: "c" })}`, "=idle")
  await run.printed(6)
  // No prompt can follow after the end of the input.
  run.end()
  expect(await run.exit()).toEqual({ code: 0, signal: null })
  expect(run.lines).toEqual([
    interrupted("a"),
    resultMessage(),
    interrupted("b"),
    second,
    { ...idle, uuid: "b" },
    interrupted("c"),
    { ...idle, uuid: "c" },
  ])
})

it("after an interrupt, the report is passed on also while a background command keeps the server busy", async () => {
  const { url, socket } = await start()
  const run = rawProcess(url, { env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" } })
  const idle = { type: "system", subtype: "session_state_changed", state: "idle" }
  const interrupted = { type: "control_response", response: { subtype: "success", request_id: "a" } }
  run.write(prompt("one"))
  const first = await socket(0)
  await first.has(1)
  run.write({ type: "control_request", request_id: "a", request: { subtype: "interrupt" } })
  await first.has(2)
  first.send("=busy", "+2", `\t${JSON.stringify(interrupted)}`, `4\t${JSON.stringify(resultMessage())}`)
  first.send(`\t${JSON.stringify(idle)}`)
  await run.printed(3)
  first.send("=idle")
  run.end()
  expect(await run.exit()).toEqual({ code: 0, signal: null })
  expect(run.lines).toEqual([interrupted, resultMessage(), idle])
})
