// Asks that are open while the server is killed: questions, plans, clients' tools. For restart.test.ts.
import { expect } from "vitest"
import { type ApiLog, toolResults } from "../../support/session/api-log.ts"
import type { Ask, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const LIGHT = {
  name: "set_light",
  description: "Switches the light of a room.",
  inputSchema: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
}
const options = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }))
const questions = [
  { question: "Which?", header: "Pick", options, multiSelect: false },
  { question: "How many?", header: "Count", options, multiSelect: true },
]
const ANSWERS = { "Which?": "Red", "How many?": ["Red", "Blue"] }
const SENT = { "Which?": "Red", "How many?": "Red, Blue" }
const ACCEPT_EDITS = { type: "setMode", mode: "acceptEdits", destination: "session" }

interface Server {
  readonly perch: PerchClient
  readonly api: ApiLog
  readonly crash: () => Promise<void>
}

type Body = Readonly<Record<string, unknown>>

/** Afterwards the asks exist, accept one answer of their kind from their tenant, and their turns end with it. */
export const expectAsksToLast = async ({ perch, api, crash }: Server): Promise<void> => {
  /** A session whose turn waits for an answer, and the turn's expected outcome. */
  const waiting = async (calls: ReadonlyArray<ReturnType<typeof call>>, settings: Body = {}) => {
    const script = scriptName("ask")
    await api.set(script, [...calls.map((use) => ({ content: [use] })), textAnswer("Done.")])
    const id = await perch.createSession(settings)
    const { pending } = await perch.json<{ pending: ReadonlyArray<Ask> }>("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: promptFor(script) },
      status: 202,
    })
    const [ask] = pending
    if (ask === undefined) throw new Error("nothing was asked")
    return { id, script, ask, calls }
  }
  type Waiting = Awaited<ReturnType<typeof waiting>>

  /** The field that is named when an answer is rejected. */
  const refusedField = async ({ id, ask }: Waiting, answer: Body) => {
    const body = await perch.answer(id, ask.request_id, answer, 400)
    expect(body).toMatchObject({ error: { type: "invalid_request_error" } })
    return (body["error"] as { readonly field?: string }).field
  }

  /** The turn's outcome: its result, the tools' own results, and the text that the model received for the last asked call. */
  const endOf = async ({ id, script, ask }: Waiting) => {
    const events = await perch.eventsUntilResults(id, 1)
    const requests = await api.requests(script)
    const modelText = requests.flatMap(toolResults).find(({ tool_use_id }) => tool_use_id === ask.tool_use_id)
    const results = events.filter(({ name }) => name.startsWith("sdk:result")).map(({ payload }) => payload)
    expect(results).toMatchObject([{ subtype: "success", result: "Done." }])
    expect(events.filter(({ name }) => name === "ask:settled")).toHaveLength(1)
    expect(await perch.asks(id)).toEqual([])
    const output = events.find(
      ({ payload }) => payload.type === "user" && JSON.stringify(payload.message).includes(ask.tool_use_id),
    )?.payload.tool_use_result
    return { modelText, output, requests: requests.length, denials: results[0]?.permission_denials }
  }

  const plan = (mode: string, more: ReadonlyArray<ReturnType<typeof call>> = []) =>
    waiting(
      [
        ...more,
        call("ExitPlanMode", { plan: "1. write" }),
        call("Write", { file_path: "/workspace/n", content: "n\n" }),
      ],
      {
        permissionMode: mode,
      },
    )

  const ask = () => waiting([call("AskUserQuestion", { questions })])
  const light = (settings: Body = {}) =>
    waiting([call("set_light", { room: "hall" })], { clientTools: [LIGHT], ...settings })
  const { key } = await perch.json<{ key: string }>("POST", "/v1/admin/keys", {
    json: { tenant: "other" },
    status: 201,
  })
  const all = await Promise.all([
    ask(),
    ask(),
    plan("acceptEdits", [call("EnterPlanMode", {})]),
    plan("plan"),
    light(),
    light(),
    light({ ask_timeout_ms: 1000 }),
    waiting([call("AskUserQuestion", { questions })], { ask_timeout_ms: 1000 }),
  ])
  const [short, long, entered, planned, lit, failed, lateLight, lateQuestion] = all
  const open = [short, long, entered, planned, lit, failed]

  await crash()
  expect(await Promise.all(open.map(({ id }) => perch.asks(id)))).toEqual(open.map((one) => [one.ask]))
  expect(open.map((one) => [one.ask.kind, one.ask.input])).toEqual([
    ["question", { questions }],
    ["question", { questions }],
    ["plan", { plan: "1. write" }],
    ["plan", { plan: "1. write" }],
    ["client_tool", { room: "hall" }],
    ["client_tool", { room: "hall" }],
  ])

  const outsider = perch.withKey(key)
  for (const {
    id,
    ask: { request_id },
  } of open)
    await outsider.answer(id, request_id, { behavior: "allow" }, 404)
  expect(await refusedField(short, { answers: { "Whose?": "mine" } })).toBe("answers.Whose?")
  expect(await refusedField(short, { answers: { "Which?": 1 } })).toBe("answers.Which?")
  expect(await refusedField(short, { content: "Red" })).toBe("behavior")
  expect(await refusedField(entered, { behavior: "allow", permissionMode: "root" })).toBe("permissionMode")
  expect(await refusedField(entered, { behavior: "allow", permissionMode: "bypassPermissions" })).toBe("permissionMode")
  expect(await refusedField(entered, { behavior: "maybe" })).toBe("behavior")
  expect(await refusedField(lit, { behavior: "allow" })).toBe("behavior")
  expect(await refusedField(lit, { content: [{ type: "image", source: {} }] })).toBe("content[0].source.type")

  const answers: ReadonlyArray<readonly [Waiting, Body, Body]> = [
    [short, { answers: ANSWERS }, { answers: { "Which?": "Blue" } }],
    [long, { behavior: "allow", updatedInput: { questions, answers: SENT } }, { behavior: "deny", message: "no" }],
    [entered, { behavior: "allow" }, { behavior: "deny" }],
    [planned, { behavior: "allow", updatedPermissions: [ACCEPT_EDITS] }, { behavior: "allow" }],
    [lit, { content: "on" }, { content: "off" }],
    [failed, { content: [{ type: "text", text: "no such room" }], is_error: true }, { content: "on" }],
  ]
  for (const [
    {
      id,
      ask: { request_id },
    },
    answer,
    another,
  ] of answers) {
    await perch.answer(id, request_id, answer)
    await perch.answer(id, request_id, another, 409)
    await perch.answer(id, request_id, answer)
  }

  for (const one of [short, long]) {
    const { modelText, output, denials } = await endOf(one)
    expect(modelText?.is_error).not.toBe(true)
    expect(JSON.stringify(modelText?.content)).toContain("Red, Blue")
    expect(output).toMatchObject({ answers: SENT })
    expect(denials).toEqual([])
  }
  for (const one of [entered, planned]) {
    const { modelText, output } = await endOf(one)
    expect(modelText?.is_error).not.toBe(true)
    expect(output).toMatchObject({ plan: "1. write" })
    expect(await perch.getFile(one.id, "/workspace/n")).toBe("n\n")
  }
  expect(await endOf(lit)).toMatchObject({ modelText: { content: "on" }, output: "on", requests: 2 })
  expect(await endOf(failed)).toMatchObject({ modelText: { is_error: true, content: [{ text: "no such room" }] } })
  for (const one of [lateLight, lateQuestion]) {
    const { modelText } = await endOf(one)
    expect(modelText?.is_error).toBe(true)
    expect(JSON.stringify(modelText?.content)).toContain("in time")
    await perch.answer(one.id, one.ask.request_id, one === lateLight ? { content: "on" } : { answers: ANSWERS }, 409)
  }
}
