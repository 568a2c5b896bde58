// What the API's prompt cache would read of a long conversation: each request starts with what the previous one wrote.
import { expect, it } from "vitest"
import { BYPASS, loop, payloadsOf } from "../../support/session/loop.ts"
import { call, textAnswer } from "../../support/session/scripts.ts"
import { SimulatedCache } from "../../support/session/simulated-cache.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { conversation, FULL, SMALL_WINDOW } from "./compactions.ts"

const setting = loop()

/** Turns that call a tool and answer with long texts. */
const turnsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => [
    { content: [call("Glob", { pattern: `*.${at}` })] },
    textAnswer(`Answer ${at}: ${"word ".repeat(100)}`),
  ]).flat()

const bodies = (scripts: ReadonlyArray<string>) =>
  setting.api.log.filter(({ script }) => scripts.includes(script ?? "")).map(({ body }) => body)

it("from the tenth turn on at least 95 % of the input is read from it", async () => {
  const { say, script } = await conversation(setting, turnsOf(20))
  for (let turn = 0; turn < 20; turn += 1) await say(`prompt ${turn}`)
  const cache = new SimulatedCache()
  const requests = bodies([script]).map((body) => cache.request(body))
  expect(requests).toHaveLength(40)
  const late = requests.slice(20)
  const share = late.reduce((sum, { read }) => sum + read, 0) / late.reduce((sum, { size }) => sum + size, 0)
  expect(share).toBeGreaterThan(0.95)
  for (const [at, { read }] of late.slice(1).entries()) expect(read).toBeGreaterThanOrEqual(late[at]?.read ?? 0)
})

it("many calls in one answer change nothing about that", async () => {
  const many = (at: number) => ({ content: Array.from({ length: 14 }, () => call("Glob", { pattern: `*.${at}` })) })
  const turns = Array.from({ length: 6 }, (_, at) => [many(at), textAnswer(`Answer ${at}`)]).flat()
  const { say, script } = await conversation(setting, turns)
  for (let turn = 0; turn < 6; turn += 1) await say(`prompt ${turn}`)
  const cache = new SimulatedCache()
  const requests = bodies([script]).map((body) => cache.request(body))
  expect(requests).toHaveLength(12)
  for (const [at, { read }] of requests.slice(1).entries()) expect(read).toBe(requests[at]?.size)
})

/** The kinds of the reminders about plan mode in a request, with the prompt or the answer that follows each. */
const remindersIn = (body: unknown): ReadonlyArray<string> => {
  const { messages } = body as { messages: ReadonlyArray<{ content: string | ReadonlyArray<{ text?: string }> }> }
  const texts = messages.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map(({ text = "" }) => text),
  )
  return texts.flatMap((text, at) => {
    const [, kind] = /^<system-reminder>\nPlan mode is (on|still on|off)/.exec(text) ?? []
    return kind === undefined ? [] : [`${kind}: ${texts[at + 1]?.split(" ").at(-1) ?? ""}`]
  })
}

it("in plan mode each request reads what the last one wrote, also after the mode has changed", async () => {
  const options = { permissionMode: "plan" } as const
  const { say, script, session } = await conversation(setting, turnsOf(12), { options })
  for (let turn = 0; turn < 8; turn += 1) await say(`p${turn}`)
  session.permissions.setMode("default")
  for (const words of ["p8", "p9"]) await say(words)
  session.permissions.setMode("plan")
  for (const words of ["p10", "p11"]) await say(words)
  const cache = new SimulatedCache()
  const requests = bodies([script]).map((body) => cache.request(body))
  expect(requests).toHaveLength(24)
  for (const [at, { read }] of requests.slice(1).entries()) expect(read).toBe(requests[at]?.size)
  expect(remindersIn(bodies([script]).at(-1))).toEqual(["on: p0", "still on: p6", "off: p8", "on: p10"])
})

it("the rules of plan mode are sent again when its instructions change and after a compaction, and not after a crash", async () => {
  const options = { permissionMode: "plan", planModeInstructions: "Draw a map." } as const
  const { say, script, behind, session, harness, idle } = await conversation(setting, turnsOf(4), { options })
  await say("p0")
  prompt(session, "p1", { planModeInstructions: "Draw two maps." })
  await idle()
  harness.crash()
  const again = harness.boot()
  prompt(again.session, "p2", { planModeInstructions: "Draw two maps." })
  await again.idle()
  expect(remindersIn(bodies([script]).at(-1))).toEqual(["on: p0", "on: p1"])
  expect(JSON.stringify(bodies([script]).at(-1))).toMatch(/Draw a map.*Draw two maps/)
  for (const words of ["/compact", "p3"]) {
    prompt(again.session, words)
    await again.idle()
  }
  expect(remindersIn(bodies([behind]).at(-1))).toEqual(["on: p3"])
})

it("the request for a summary reads what the conversation wrote", async () => {
  const turns = [...turnsOf(12), textAnswer("full", FULL)]
  const { say, script } = await conversation(setting, turns, { options: SMALL_WINDOW })
  for (let turn = 0; turn < 14; turn += 1) await say(`prompt ${turn}`)
  const cache = new SimulatedCache()
  const all = bodies([script])
  expect(setting.api.log.findLast(({ script: name }) => name === script)?.kind).toBe("compact")
  const requests = all.map((body) => cache.request(body))
  const summary = requests.at(-1)
  expect((summary?.read ?? 0) / (summary?.size ?? 1)).toBeGreaterThan(0.9)
})

it.each([
  ["no setting", {}, undefined],
  ["an hour", { promptCacheTtl: "1h" }, "1h"],
  ["five minutes", { promptCacheTtl: "5m" }, undefined],
] as const)("with %s every breakpoint has that time", async (_, settings, ttl) => {
  const { say, script } = await conversation(setting, [textAnswer("answer")], { options: { ...BYPASS, settings } })
  await say("one")
  const [body] = bodies([script])
  const marks = JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g) ?? []
  const mark =
    ttl === undefined ? '"cache_control":{"type":"ephemeral"}' : `"cache_control":{"type":"ephemeral","ttl":"${ttl}"}`
  expect(marks).toEqual([mark, mark])
})

it("the beta of the large window is sent if the model has it, and compaction starts later", async () => {
  const full = { usage: { input_tokens: 190_000, output_tokens: 100 } }
  const turns = [textAnswer("first answer"), textAnswer("second answer", full), textAnswer("third answer")]
  const options = { ...BYPASS, model: "claude-sonnet-4-5", betas: ["context-1m-2025-08-07"] as const }
  const { say, script, events } = await conversation(setting, turns, { options })
  for (const words of ["one", "two", "three"]) await say(words)
  expect(payloadsOf(events(), "sdk:system/init")[0]).toMatchObject({ betas: options.betas })
  const sent = setting.api.log.filter((entry) => entry.script === script)
  expect(sent.map(({ kind }) => kind)).toEqual(["main", "main", "main"])
  for (const { headers } of sent) expect(headers["anthropic-beta"]).toContain("context-1m-2025-08-07")
})

it("a model name with [1m] enables its large window, and is sent without it", async () => {
  const full = { usage: { input_tokens: 190_000, output_tokens: 100 } }
  const options = { ...BYPASS, model: "claude-opus-4-6[1m]" }
  const { say, script, events } = await conversation(setting, [textAnswer("first", full), textAnswer("second")], {
    options,
  })
  await say("one")
  await say("two")
  const sent = setting.api.log.filter((entry) => entry.script === script)
  expect(sent.map(({ kind, body }) => [kind, body.model])).toEqual([
    ["main", "claude-opus-4-6"],
    ["main", "claude-opus-4-6"],
  ])
  for (const { headers } of sent) expect(headers["anthropic-beta"]).toContain("context-1m-2025-08-07")
  expect(payloadsOf(events(), "sdk:system/init")[0]).toMatchObject({ model: "claude-opus-4-6[1m]" })
  const used = { "claude-opus-4-6[1m]": { contextWindow: 1_000_000, costBasis: "list" } }
  expect(payloadsOf(events(), "sdk:result/success")[0]).toMatchObject({ modelUsage: used })
})

it.each([
  ["claude-sonnet-4-5", 1_000_000],
  ["claude-opus-4-5", 200_000],
])("what %s has used names the window that it has under the beta", async (model, contextWindow) => {
  const options = { ...BYPASS, model, betas: ["context-1m-2025-08-07"] as const }
  const { say, session, events } = await conversation(setting, [textAnswer("first answer")], { options })
  await say("one")
  const used = { [model]: { contextWindow, inputTokens: 100 } }
  expect(payloadsOf(events(), "sdk:result/success")).toMatchObject([{ modelUsage: used }])
  expect(session.cost()).toMatchObject({ model_usage: used })
})

it("it is not sent to a model that has no such beta", async () => {
  const options = { ...BYPASS, model: "claude-opus-4-5", betas: ["context-1m-2025-08-07"] as const }
  const { say, script } = await conversation(setting, [textAnswer("first answer")], { options })
  await say("one")
  const [sent] = setting.api.log.filter((entry) => entry.script === script)
  expect(sent?.headers["anthropic-beta"] ?? "").not.toContain("context-1m")
})
