// A process that dies while a command posts to a server: what the session's policy does, and what the server received.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, payloadsOf, resultOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

let server: http.Server
let origin = ""
/** The keys of the charges that were posted, and a callback that runs at the next one instead of its answer. */
let charges: Array<string | undefined> = []
let onCharge: (() => void) | null = null

beforeAll(async () => {
  server = http.createServer((request, response) => {
    if (request.method !== "POST") return response.end("a page")
    charges.push(request.headers["idempotency-key"] as string | undefined)
    const act = onCharge
    onCharge = null
    if (act !== null) return act()
    return response.end("charged")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  charges = []
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const KEY = `${SESSION_ID}:toolu_charge`
const UNKNOWN = "so its outcome is unknown"
const ASKS: SessionOptions = { unknown_outcomes: "ask_human" }

const post = () =>
  call("Bash", { command: `curl -s -X POST -d 5 ${origin}/charge`, description: "Charge" }, "toolu_charge")

/** A session that dies when the server receives the charge, and is restarted. */
const cutOff = async (options: SessionOptions) => {
  const harness = harnessOf({ ...BYPASS, shell_network: true, ...options })
  const die = () =>
    new Promise<void>((resolve) => {
      onCharge = () => {
        harness.crash()
        resolve()
      }
    })
  let died = die()
  let booted = harness.boot()
  const script = scripted([{ content: [post()] }, DONE])
  prompt(booted.session, promptFor(script), {})
  await died
  booted = harness.boot()
  await booted.idle()
  /** Answers the one open ask; with `again` the process dies at the charge that follows. */
  const answer = async (body: Readonly<Record<string, unknown>>, again = false): Promise<Booted> => {
    const [ask] = booted.session.askStore.open
    if (ask === undefined) throw new Error("nothing is asked")
    died = again ? die() : Promise.resolve()
    expect(booted.session.asks.answer(ask.requestId, body)).toBeUndefined()
    await died
    if (again) booted = harness.boot()
    await booted.idle()
    return booted
  }
  return { booted: () => booted, answer }
}

const endOf = ({ log }: Booted) => {
  const events = eventsOf(log)
  const turns = [...new Set(events.flatMap(({ turn }) => (turn === null ? [] : [turn])))]
  expect(problemsOf(events, turns)).toEqual([])
  return { result: toolResultsOf(events)[0], opened: payloadsOf(events, "ask:opened") }
}

describe("by default", () => {
  it("the model reads that the outcome is unknown, and nothing is posted again", async () => {
    const { booted } = await cutOff({})
    const { result, opened } = endOf(booted())
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining(UNKNOWN) })
    expect(opened).toEqual([])
    expect(charges).toEqual([KEY])
  })
})

describe("retry", () => {
  it("does not repeat a command that nothing declares idempotent", async () => {
    const { booted } = await cutOff({ unknown_outcomes: "retry" })
    expect(endOf(booted()).result).toMatchObject({ is_error: true, content: expect.stringContaining(UNKNOWN) })
    expect(charges).toEqual([KEY])
  })

  it("repeats one that the session declares idempotent, with the same key", async () => {
    const { booted } = await cutOff({ unknown_outcomes: { tools: { Bash: "retry" } } })
    expect(endOf(booted()).result).toMatchObject({ is_error: false, content: "charged" })
    expect(charges).toEqual([KEY, KEY])
  })
})

describe("ask_human", () => {
  it("opens an ask for the outcome of the call, and gives the reason", async () => {
    const { booted } = await cutOff(ASKS)
    const [ask] = booted().session.askStore.open
    expect(ask?.ask).toMatchObject({
      kind: "outcome",
      tool_name: "Bash",
      tool_use_id: "toolu_charge",
      decision_reason: expect.stringContaining("outcome is unknown"),
    })
    expect(booted().session.state).toBe("requires_action")
    expect(charges).toEqual([KEY])
  })

  it("runs the call again when it is allowed, with the same key", async () => {
    const { answer } = await cutOff(ASKS)
    expect(endOf(await answer({ behavior: "allow" })).result).toMatchObject({ is_error: false, content: "charged" })
    expect(charges).toEqual([KEY, KEY])
  })

  it("runs it with the input of the answer", async () => {
    const { answer } = await cutOff(ASKS)
    const updatedInput = { command: `curl -s ${origin}/page`, description: "Look" }
    expect(endOf(await answer({ behavior: "allow", updatedInput })).result).toMatchObject({ content: "a page" })
    expect(charges).toEqual([KEY])
  })

  it("does not run it with an input that a rule denies", async () => {
    const settings = { permissions: { deny: ["Bash(echo:*)"] } }
    const { answer } = await cutOff({ ...ASKS, settings })
    const updatedInput = { command: `curl -s -X POST -d 6 ${origin}/charge; echo x`, description: "Charge" }
    const { result } = endOf(await answer({ behavior: "allow", updatedInput }))
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining("denied by a permission rule") })
    expect(charges).toEqual([KEY])
  })

  it("rejects an input that does not match the schema", async () => {
    const { answer } = await cutOff(ASKS)
    const ended = await answer({ behavior: "allow", updatedInput: { command: 5 } })
    expect(endOf(ended).result).toMatchObject({ is_error: true })
    expect(charges).toEqual([KEY])
  })

  it("sends the model the message of a denial", async () => {
    const { answer } = await cutOff(ASKS)
    const { result } = endOf(await answer({ behavior: "deny", message: "It was charged. Leave it." }))
    expect(result).toMatchObject({ is_error: true, content: "It was charged. Leave it." })
    expect(charges).toEqual([KEY])
  })

  it("ends the turn with a denial that interrupts", async () => {
    const { answer } = await cutOff(ASKS)
    const ended = await answer({ behavior: "deny", message: "Stop.", interrupt: true })
    expect(endOf(ended).result).toMatchObject({ is_error: true, content: expect.stringContaining(UNKNOWN) })
    expect(resultOf(eventsOf(ended.log))).toMatchObject({ terminal_reason: "aborted_tools" })
    expect(charges).toEqual([KEY])
  })

  it.each([
    [{ content: "charged by hand" }, { content: "charged by hand" }],
    [
      { content: [{ type: "text", text: "no" }], is_error: true },
      { content: [{ type: "text", text: "no" }], is_error: true },
    ],
  ])("takes the result itself: %j", async (body, result) => {
    const { answer } = await cutOff(ASKS)
    expect(endOf(await answer(body)).result).toMatchObject(result)
    expect(charges).toEqual([KEY])
  })

  it("rejects an invalid answer, and keeps waiting", async () => {
    const { booted } = await cutOff(ASKS)
    const [ask] = booted().session.askStore.open
    const answers = [{}, { behavior: "maybe" }, { content: 5 }, { answers: {} }, { behavior: "result", content: "x" }]
    for (const body of answers) {
      expect(booted().session.asks.answer(ask!.requestId, body)).toMatchObject({
        refused: {
          type: "invalid_request_error",
          message: expect.stringContaining("the answer to an outcome must be"),
        },
      })
    }
    expect(booted().session.askStore.open).toHaveLength(1)
  })

  it("asks again when the server stops in the run that was allowed", async () => {
    const { answer, booted } = await cutOff(ASKS)
    const [first] = booted().session.askStore.open
    const again = await answer({ behavior: "allow" }, true)
    expect(again.session.askStore.open).toHaveLength(1)
    expect(again.session.askStore.open[0]?.requestId).not.toBe(first?.requestId)
    const { result, opened } = endOf(await answer({ behavior: "deny", message: "Enough." }))
    expect(result).toMatchObject({ is_error: true, content: "Enough." })
    expect(opened).toHaveLength(2)
    expect(charges).toEqual([KEY, KEY])
  })

  it("reports the outcome as unknown without an answer in time", async () => {
    const { booted } = await cutOff({ ...ASKS, ask_timeout_ms: 60_000 })
    const { session, idle } = booted()
    session.asks.expire()
    expect(session.askStore.open).toHaveLength(1)
    const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000)
    session.asks.expire()
    later.mockRestore()
    await idle()
    expect(endOf(booted()).result).toMatchObject({ is_error: true, content: expect.stringContaining(UNKNOWN) })
    expect(charges).toEqual([KEY])
  })

  it("opens no ask if asks are off", async () => {
    const { booted } = await cutOff({ ...ASKS, permission_prompts: "deny" })
    const { result, opened } = endOf(booted())
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining(UNKNOWN) })
    expect(opened).toEqual([])
  })
})
