import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { loop, payloadsOf, textOf, type Turns } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { imageBlock, png } from "../../support/values/images.ts"
import { conversation, FULL, SMALL_WINDOW, summaryNaming } from "./compactions.ts"

const setting = loop()
const error = (status: number, type: string, message: string) => ({ error: { status, type, message } })
const TOO_LONG = error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
const TOO_LARGE = error(413, "request_too_large", "Request exceeds the maximum size")
const answers = (count: number, last = {}) =>
  Array.from({ length: count }, (_, at) => ({ ...textAnswer(`a${at + 1}`), ...(at + 1 === count ? last : {}) }))
const NO_NUMBERS = error(400, "invalid_request_error", "prompt is too long")
/** In a prompt: the script's name, by which the scripted API recognizes requests without the first prompt. */
const MARK = "MARK"
/** About 16,000 tokens. */
const LARGE = "lorem ipsum dolor ".repeat(3_600)

interface Setting {
  readonly compact?: ReadonlyArray<unknown>
  readonly options?: SessionOptions
}

/** Which messages the requests for a summary and the first request after it contain, as recorded with the official SDK. */
const compacted = async (
  turns: ReadonlyArray<unknown>,
  prompts: ReadonlyArray<string>,
  { compact, options }: Setting,
) => {
  const after = { after: [textAnswer("after the summary")], ...(options === undefined ? {} : { options }) }
  const made = await conversation(setting, turns, {
    hooks: { StopFailure: {} },
    ...after,
    ...(compact === undefined ? {} : { compact: [...compact, summaryNaming("later")] }),
  })
  const later = compact === undefined ? made.behind : "later"
  setting.scripted([textAnswer("after the summary")], "later")
  const from = setting.api.log.length
  for (const words of prompts) await made.say(words.replace(MARK, promptFor(made.script)))
  const names = (messages: ReadonlyArray<{ readonly content: unknown }>) =>
    messages.map(({ content }) => /\b[ap]\d{1,2}\b/.exec(JSON.stringify(content))?.[0] ?? "-").join(" ")
  return {
    ranges: setting.api.log
      .slice(from)
      .filter(({ body }) => JSON.stringify(body.messages.at(-1)).includes("detailed summary"))
      .map(({ body }) => names(body.messages)),
    sent: names(setting.messagesSent(later)[0] ?? []),
    failures: payloadsOf(made.events(), "hook:fired").filter(({ hook_event_name: name }) => name === "StopFailure")
      .length,
    state: payloadsOf(made.events(), "sdk:system/status").at(-1),
    requests: setting.messagesSent(made.script).length,
    events: made.events(),
  }
}

const PROMPTS = ["p1", "p2", "p3", "p4", "p5", "p6"]

it("a conversation that is too long for the request for a summary preserves more, and loses nothing", async () => {
  const made = await compacted(answers(6), [...PROMPTS, "/compact", "p7"], { compact: [TOO_LONG, TOO_LONG] })
  expect(made.ranges).toEqual([
    "p1 a1 p2 a2 p3 a3 p4 a4 p5 a5 p6 a6 -",
    "p1 a1 p2 a2 p3 a3 p4 a4 p5 a5 p6",
    "p1 a1 p2 a2 p3",
  ])
  expect(made.sent).toBe("- a3 p4 a4 p5 a5 p6 a6 p7")
  expect(made.failures).toBe(2)
  expect(made.state).toMatchObject({ compact_result: "success" })
})

it("as many of the last exchanges are preserved as the request had tokens too many", async () => {
  const prompts = ["p1", "p2", "p3", "p4", `p5 ${LARGE}`, "p6", "/compact"]
  const made = await compacted(answers(6), prompts, { compact: [TOO_LONG, TOO_LONG] })
  expect(made.ranges.slice(2)).toEqual(["p1 a1 p2 a2 p3 a3 p4"])
})

it.each([
  ["the last exchange has as many", ["p1", "p2", "p3", "p4", `p5 ${LARGE}`], "p1 a1 p2 a2 p3 a3 p4", "- a4 p5 p6"],
  ["an earlier one has as many", ["p1", "p2", `p3 ${LARGE}`, "p4", "p5"], "p1 a1 p2", "- a2 p3 a3 p4 a4 p5 p6"],
  ["none has as many", ["p1", "p2", "p3", "p4", "p5"], "p1 a1 p2", "- a2 p3 a3 p4 a4 p5 p6"],
])("the exchanges that a refused request had too many are preserved: %s", async (_, prompts, range, sent) => {
  const made = await compacted([...answers(4), TOO_LONG], [...prompts, "p6"], {})
  expect(made.ranges).toEqual([range])
  expect(made.sent).toBe(sent.replace(" p6", ""))
})

it.each([
  ["a tenth of its tokens, if fewer are too many", 201_000, "p1 a1 p2 a2 p3 a3 p4 a4 p5"],
  ["the share of them that is too many", 300_000, "p1 a1 p2 a2 p3"],
])("when a request is refused, exchanges are preserved with %s", async (_, tokens, range) => {
  const refusal = error(400, "invalid_request_error", `prompt is too long: ${tokens} tokens > 200000 maximum`)
  // The conversation has about 31,000 tokens.
  const prompts = [
    "p1",
    "p2",
    ...[16_000, 8_000, 4_000, 2_000, 1_000, 300].map((n, at) => `p${at + 3} ${"abc ".repeat(n)}`),
  ]
  const made = await compacted([...answers(8), refusal], [...prompts, "p9"], {})
  expect(made.ranges).toEqual([range])
})

it("`compact_boundary` has the uuids of all messages that are preserved, also of those that were preserved before", async () => {
  const made = await conversation(setting, [...answers(3), TOO_LONG], {
    // The first two answers after the summary are the preserved ones.
    after: [...answers(2), textAnswer("a4"), TOO_LONG],
  })
  for (const words of ["p1", `p2 ${LARGE}`, "p3", "p4"]) await made.say(words)
  const [first, second, third] = payloadsOf(made.events(), "sdk:assistant").map(({ uuid }) => uuid)
  const [, , p3, p4] = made.ids
  const kept = () =>
    payloadsOf(made.events(), "sdk:system/compact_boundary").map(({ compact_metadata: metadata }) => metadata)
  expect(first).toBeDefined()
  expect(kept()).toMatchObject([{ preserved_messages: { uuids: [second, p3, third, p4] } }])
  await made.say("p5")
  const fourth = payloadsOf(made.events(), "sdk:assistant").at(3)?.uuid
  expect(kept()[1]).toMatchObject({ preserved_messages: { uuids: [third, p4, fourth, made.ids[4]] } })
})

it("by hand, the oldest exchanges are left out in the end, so that there is a summary at all", async () => {
  const made = await compacted(answers(3), ["p1", "p2", "p3", "/compact", "p4"], {
    compact: [TOO_LONG, TOO_LONG, TOO_LONG],
  })
  // No script is named any more: the answer without a summary is requested twice.
  expect(made.ranges).toEqual(["p1 a1 p2 a2 p3 a3 -", "p1 a1 p2 a2 p3", "p1 a1 p2", "- a3 -", "- a3 -"])
  expect(made.state).toMatchObject({ compact_result: "success" })
})

it("as many of the oldest exchanges are left out as the shortest range had tokens too many", async () => {
  const prompts = ["p1", `p2 ${LARGE}`, "p3", `p4 ${LARGE}`, `p5 ${LARGE}`, "p6"].map((words) => `${words} ${MARK}`)
  const compact = [TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG]
  const made = await compacted([textAnswer("a1")], [...prompts, "/compact"], { compact })
  expect(made.ranges.slice(3)).toEqual([
    "p1 a1 p2 a1 p3",
    "p1 a1 p2",
    // The whole conversation has two of the large prompts more, and these are the tokens of a third.
    "- a1 p6 a1 -",
    "- a1 -",
    "- a1 -",
  ])
})

it("a fifth of the exchanges is left out, three times at most, when the API does not return how many tokens they have", async () => {
  const prompts = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", `p11 ${MARK}`]
  const made = await compacted(answers(11), [...prompts, "/compact"], { compact: Array(9).fill(NO_NUMBERS) })
  expect(made.ranges.slice(-4)).toEqual([
    "p1 a1 p2",
    "- a2 p3 a3 p4 a4 p5 a5 p6 a6 p7 a7 p8 a8 p9 a9 p10 a10 p11 a1 -",
    "- a4 p5 a5 p6 a6 p7 a7 p8 a8 p9 a9 p10 a10 p11 a1 -",
    "- a5 p6 a6 p7 a7 p8 a8 p9 a9 p10 a10 p11 a1 -",
  ])
  expect(made.state).toMatchObject({ compact_result: "failed" })
})

it("exchanges of a tenth of the tokens are preserved when the API does not return how many are too many", async () => {
  const prompts = ["p1", "p2", "p3", "p4", `p5 ${LARGE}`, "p6", `p7 ${LARGE}`, "p8", "/compact"]
  const made = await compacted(answers(8), prompts, { compact: [NO_NUMBERS, NO_NUMBERS, NO_NUMBERS] })
  expect(made.ranges.slice(2)).toEqual(["p1 a1 p2 a2 p3 a3 p4 a4 p5 a5 p6", "p1 a1 p2 a2 p3 a3 p4"])
})

it("a conversation of too many bytes loses nothing: its last range is requested again, then the compaction has failed", async () => {
  const compact = [TOO_LARGE, TOO_LARGE, TOO_LARGE]
  const made = await compacted(answers(4), ["p1", "p2", "p3", "p4", "/compact", "p5"], { compact })
  expect(made.ranges).toEqual(["p1 a1 p2 a2 p3 a3 p4 a4 -", "p1 a1 p2 a2 p3 a3 p4", "p1 a1 p2 a2 p3 a3 p4"])
  expect(made.state).toMatchObject({ compact_result: "failed" })
  const single = await compacted(answers(1), ["p1", "/compact"], { compact })
  expect(single.ranges).toEqual(["p1 a1 -", "p1 a1 -"])
})

it("a conversation that nearly fills its window continues unchanged when every range of it is too long", async () => {
  const made = await compacted(answers(3, FULL), ["p1", "p2", "p3", "p4"], {
    compact: [TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG],
    options: SMALL_WINDOW,
  })
  expect(made.ranges).toEqual(["p1 a1 p2 a2 p3 a3 -", "p1 a1 p2 a2 p3", "p1 a1 p2"])
  expect(made.state).toMatchObject({ compact_result: "failed", compact_error: "exhausted" })
  expect(made.requests).toBe(7)
})

it("images are left out of a request for a summary that has too many bytes", async () => {
  const opened = await setting.connected()
  const picture = imageBlock(png(3000))
  const compact = [TOO_LARGE, TOO_LARGE, summaryNaming("none")]
  const script = setting.scripted({ turns: answers(2), compact } as Turns)
  for (const words of [[text(promptFor(script)), picture], "p2", "/compact"]) {
    const turn = crypto.randomUUID()
    opened.session.prompts.submit({ turn, prompt: words, onBusy: "queue", options: {}, fingerprint: turn })
    await opened.idle()
  }
  const requests = setting.messagesSent(script).slice(2)
  expect(requests.map((messages) => messages[0]?.content.some(({ type }) => type === "image"))).toEqual([
    true,
    true,
    false,
  ])
  expect(opened.session.memory.transcript.messages().map(textOf)).toEqual([expect.stringContaining("SUMMARY"), "a2"])
})

it("the report of a failed request counts as an answer: the prompt before it is summarized, the one after it is preserved", async () => {
  const failed = error(403, "permission_error", "no")
  const made = await compacted([...answers(2), failed], ["p1", "p2", "p3", "/compact", "p4"], { compact: [] })
  expect(made.ranges).toEqual(["p1 a1 p2 a2 p3"])
  expect(made.sent).toBe("p4")
  const refused = await compacted([...answers(2), [failed, TOO_LONG]], ["p1", "p2", "p3", "p4"], {})
  expect(refused.ranges).toEqual(["p1 a1 p2"])
  expect(refused.sent).toBe("- a2 p3")
})

it("a conversation of one exchange whose request failed with too many bytes is compacted for the next prompt", async () => {
  const made = await compacted([...answers(1), TOO_LARGE], ["p1", "p2", "p3"], {})
  expect(made.ranges).toEqual(["p1 a1 p2"])
  expect(made.sent).toBe("p3")
  expect(made.state).toMatchObject({ compact_result: "success" })
})

it("calls at the end of a turn that did not end normally are preserved and not summarized", async () => {
  const calls = (id: string, usage = {}) => ({ content: [call("Bash", { command: `echo ${id}` })], ...usage })
  const made = await compacted([calls("a1"), calls("a2", FULL)], ["p1", "p2"], {
    options: { ...SMALL_WINDOW, maxTurns: 2 },
  })
  expect(made.ranges).toEqual(["p1 a1 a1"])
  expect(made.sent).toBe("- a2 a2")
})

it("a session whose first request was refused continues from the third prompt on, without what is too long", async () => {
  const made = await compacted([TOO_LONG], [`p1 ${LARGE}`, `p2 ${MARK}`, "p3"], { compact: [TOO_LONG] })
  // As recorded: at the second prompt there is too little to summarize.
  const states = payloadsOf(made.events, "sdk:system/status").map(({ compact_error: failed }) => failed)
  expect(states).toEqual([undefined, "too_few_groups", undefined, undefined])
  // Each of them is one message: p1 and p2, then p2 alone.
  expect(made.ranges).toEqual(["p1", "p2"])
  expect(made.sent).toBe("p3")
})

it("/compact summarizes prompts that no answer follows, because their requests failed", async () => {
  const failed = error(403, "permission_error", "no")
  const made = await compacted([failed], ["p1", "/compact", "p2", "/compact", "p3"], { compact: [] })
  expect(made.ranges).toEqual(["p1"])
  expect(made.sent).toBe("p3")
})
