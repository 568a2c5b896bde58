// Model requests of a turn that fail or disconnect: which are retried, and what is kept of their answers.
import { type AddressInfo, createServer } from "node:net"
import { describe, expect, it } from "vitest"
import { call, text, textAnswer } from "../../support/session/scripts.ts"
import { hooksOf, toolResultsOf } from "../../support/session/loop.ts"
import { eventsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"
import { clientlessTurns } from "./clientless-turns.ts"

const made = clientlessTurns()
const { finish, requests } = made

describe("a model request that fails", () => {
  it("with 529 is retried, and each retry is reported", async () => {
    const overloaded = { error: { status: 529, type: "overloaded_error", message: "busy" } }
    const { events, result } = await finish([[overloaded, textAnswer("Done.")]])
    expect(events.filter((event) => event.name === "sdk:system/api_retry").map((event) => event.payload)).toMatchObject(
      [{ attempt: 1, max_retries: 10, error_status: 529, error: "overloaded" }],
    )
    expect(result).toMatchObject({ result: "Done.", num_turns: 1 })
  })

  // As recorded: a restart uses up the retries before it, and itself.
  it.each([
    [
      3,
      [
        [1, 3],
        [1, 1],
      ],
      true,
    ],
    [2, [[1, 2]], false],
  ] as const)(
    "with %i retries, restarts a stream that an overload ends in between",
    async (max, retries, isAnswered) => {
      const broken = { error: { status: 500, type: "api_error", message: "broken" } }
      const cut = { ...textAnswer("Done."), mid_error: { after: 1, type: "overloaded_error", message: "busy" } }
      const { events, result } = await finish([[broken, cut, broken, textAnswer("Done.")]], { max_retries: max })
      const payloads = events.filter(({ name }) => name === "sdk:system/api_retry").map(({ payload }) => payload)
      expect(payloads).toMatchObject(retries.map(([attempt, max_retries]) => ({ attempt, max_retries })))
      expect(result).toMatchObject({ is_error: !isAnswered })
    },
  )

  it("with 400 ends the turn with the error as its result", async () => {
    const { events, result } = await finish([{ error: { status: 400, type: "invalid_request_error", message: "bad" } }])
    expect(hooksOf(events)).toContain("StopFailure")
    expect(hooksOf(events)).not.toContain("Stop")
    expect(events.find((event) => event.name === "sdk:assistant")?.payload).toMatchObject({
      message: { model: "<synthetic>" },
      error: "unknown",
      is_api_error_message: true,
      api_error_status: 400,
    })
    expect(result).toMatchObject({
      subtype: "success",
      is_error: true,
      terminal_reason: "api_error",
      api_error_status: 400,
      stop_reason: "stop_sequence",
    })
  })

  it("with 400 is sent once more in its plain form, whatever the refusal says", async () => {
    const refused = { error: { status: 400, type: "invalid_request_error", message: "Bad request." } }
    const { events, result } = await finish([[refused, textAnswer("Done.")]])
    expect(result).toMatchObject({ is_error: false, result: "Done." })
    expect(events.filter(({ name }) => name === "sdk:system/api_retry")).toEqual([])
  })

  it("by a server that is out of reach is a server's failure, for hooks too", async () => {
    const gone = createServer()
    const port = await new Promise<number>((resolve) => {
      gone.listen(0, "127.0.0.1", () => resolve((gone.address() as AddressInfo).port))
    })
    await new Promise((resolve) => gone.close(resolve))
    const harness = new SessionHarness(`http://127.0.0.1:${port}`, { max_retries: 0 })
    const { session, idle, log } = harness.boot()
    prompt(session, "Hello")
    await idle()
    const events = eventsOf(log)
    await harness.dispose()
    expect(events.find(({ name }) => name === "sdk:assistant")?.payload).toMatchObject({ error: "server_error" })
    const [failed] = events.filter(
      (event) => event.name === "hook:fired" && event.payload.hook_event_name === "StopFailure",
    )
    expect(failed?.payload).toMatchObject({ input: { error: "server_error" } })
  })

  it("by a disconnect before any block is retried, and the lost request is paid for", async () => {
    const lost = { content: [text("lost words here")], drop: { after: 4 } }
    const { events, result } = await finish([[lost, textAnswer("Done.")]])
    const calls = events
      .filter((event) => event.name === "call:finished")
      .map((event) => event.payload as { wasted: boolean; usd: number })
    expect(calls.map((one) => one.wasted)).toEqual([true, false])
    expect(result["total_cost_usd"]).toBeCloseTo(calls[0]!.usd + calls[1]!.usd, 12)
    expect(events.find((event) => event.name === "sdk:system/api_retry")?.payload).toMatchObject({
      error_status: null,
      error: "unknown",
    })
  })

  it("by a disconnect after a complete call keeps the call", async () => {
    const kept = call("Bash", { command: "echo x >> f", description: "d" })
    const { events, workspace, script } = await finish([
      { content: [kept, text("never finished words")], drop: { after: 9 } },
      textAnswer("Done."),
    ])
    expect(toolResultsOf(events).map((block) => block.tool_use_id)).toEqual([kept.id])
    expect(workspace.readText("/workspace/f")).toBe("x\n")
    expect(requests(script)).toHaveLength(2)
  })

  it("by a disconnect after a complete text continues from that text", async () => {
    const { events, script } = await finish([
      { content: [text("Complete."), text("never finished words")], chunk: 50, drop: { after: 7 } },
      textAnswer("Done."),
    ])
    expect(events.filter((event) => event.name === "sdk:user").map((event) => event.payload)).toMatchObject([
      { isSynthetic: true },
    ])
    const sent = requests(script)[1]?.body.messages as ReadonlyArray<{ role: string }>
    expect(sent.map((message) => message.role)).toEqual(["user", "assistant", "user"])
  })
})
