// The state after a compaction: the history that clients read, images, and the instructions of the project.
import { expect, it } from "vitest"
import { ForkExport } from "../../../src/session/fork/fork-export.ts"
import { messagesResponse } from "../../../src/session/pages/messages-response.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { DONE, loop, payloadsOf, textOf, type Turns, until } from "../../support/session/loop.ts"
import { PROJECT } from "../../support/session/project-session.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, problemsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { imageBlock, png } from "../../support/values/images.ts"
import { conversation, FULL, SMALL_WINDOW, summaryNaming } from "./compactions.ts"

const setting = loop()
const TWO = [textAnswer("first answer"), textAnswer("second answer")]

const history = async (booted: Booted, format: "parts" | "sdk") => {
  const page = messagesResponse(
    booted.session,
    SESSION_ID,
    new URL(`http://s/messages?limit=500&format=${format}&source=log`),
  )
  if (isRefusal(page)) throw new Error(page.refused.message)
  const { messages } = (await page.json()) as { messages: ReadonlyArray<object> } // the route's answer
  return messages.map((message) => JSON.stringify(message))
}

it.each([
  ["by hand", ["first question", "two", "/compact", "three"], {}],
  ["by itself", ["first question", "two", "three"], FULL],
])("%s: the history has the originals and the summary, each once", async (_, prompts, full) => {
  const turns = [TWO[0], { ...TWO[1], ...full }]
  const opened = await conversation(setting, turns, { options: SMALL_WINDOW })
  for (const words of prompts) await opened.say(words)
  for (const format of ["parts", "sdk"] as const) {
    const shown = await history(opened, format)
    const times = (words: string) => shown.filter((message) => message.includes(words)).length
    for (const words of ["first answer", "second answer", "after the summary", "first question", "SUMMARY"])
      expect([format, words, times(words)]).toEqual([format, words, 1])
    const order = ["first answer", "second answer", "SUMMARY", "after the summary"]
    const places = order.map((words) => shown.findIndex((message) => message.includes(words)))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  }
})

it("images are summarized too, and the history keeps them", async () => {
  const opened = await setting.connected()
  const picture = imageBlock(png(3000))
  const script = setting.scripted({ turns: TWO, compact: summaryNaming("none") } as Turns)
  for (const words of [[text(promptFor(script)), picture], "two", "/compact"]) {
    const turn = crypto.randomUUID()
    opened.session.prompts.submit({ turn, prompt: words, onBusy: "queue", options: {}, fingerprint: turn })
    await opened.idle()
  }
  const asked = setting.messagesSent(script).at(-1) ?? []
  expect(textOf(asked.at(-1))).toContain("detailed summary")
  expect(asked[0]?.content).toContainEqual(expect.objectContaining(picture))
  expect(opened.session.memory.transcript.messages().map(textOf)).toEqual([
    expect.stringContaining("SUMMARY"),
    "second answer",
  ])
  const shown = await history(opened, "sdk")
  expect(shown.filter((message) => message.includes(picture.source.data))).toHaveLength(1)
})

it("the instructions of the project are read again", async () => {
  const opened = await conversation(setting, TWO, { options: PROJECT })
  opened.workspace.writeBytes("/workspace/CLAUDE.md", "BEFORE\n@more.md\n")
  opened.workspace.writeBytes("/workspace/more.md", "MORE")
  await opened.say("one")
  await opened.say("two")
  opened.workspace.writeBytes("/workspace/CLAUDE.md", "AFTER\n@more.md\n")
  await opened.say("/compact")
  await opened.say("three")
  expect(textOf(setting.messagesSent(opened.script)[0]?.[0])).toContain("BEFORE")
  const sent = JSON.stringify(setting.messagesSent(opened.behind)[0])
  for (const part of ["AFTER", "MORE"]) expect(sent).toContain(part)
  expect(sent).not.toContain("BEFORE")
  const reasons = payloadsOf(opened.events(), "hook:fired").flatMap(({ hook_event_name: name, input }) =>
    name === "InstructionsLoaded" ? [(input as { load_reason: string }).load_reason] : [],
  )
  expect(reasons.slice(-2)).toEqual(["compact", "include"])
})

const SKILL = "---\nname: greet\ndescription: Greets\n---\nBow before $ARGUMENTS.\n"
const HELPER = { description: "help me", subagent_type: "helper", run_in_background: true }
const BIG = "a line of a long file\n".repeat(2000)

it("the model is sent again the files that it used, the skills that it follows, and the running tasks", async () => {
  const path = (name: string) => `/workspace/${name}`
  const uses = [
    call("Read", { file_path: path("sub/a.txt") }),
    call("Read", { file_path: path("big.txt") }),
    call("Read", { file_path: path("gone.txt") }),
    call("Skill", { skill: "greet", args: "the king" }),
    call("Agent", { ...HELPER, prompt: promptFor(setting.scripted([{ ...TWO[0], hold: { gate: "never" } }])) }),
  ]
  const turns = [{ content: uses }, ...TWO]
  const options = { ...PROJECT, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } }
  const opened = await conversation(setting, turns, { options, after: [TWO[0], TWO[0], TWO[0]] })
  const files = { "sub/a.txt": "alpha\n", "sub/CLAUDE.md": "SUB RULES", "big.txt": BIG, "gone.txt": "gone\n" }
  for (const [name, content] of Object.entries({ ...files, ".claude/skills/greet/SKILL.md": SKILL }))
    opened.workspace.writeBytes(path(name), content)
  let asked = 0
  const say = async (words: string) => {
    asked += 1
    prompt(opened.session, words)
    await until(() => payloadsOf(opened.events(), "sdk:result/success").length === asked)
  }
  await say(promptFor(opened.script))
  opened.workspace.writeBytes(path("sub/a.txt"), "omega\n")
  opened.workspace.remove(path("gone.txt"))
  for (const words of ["two", "/compact", "three", "/compact", "four"]) await say(words)
  for (const sent of [1, -1].map((at) => setting.messagesSent(opened.behind).at(at === 1 ? 0 : at))) {
    const texts = (sent ?? []).flatMap(({ content }) => content.map((block) => String(block["text"])))
    const again = texts.filter((one) => one.startsWith("<system-reminder>")).join("\n")
    for (const part of [
      "1\tomega",
      "SUB RULES",
      "Bow before the king.",
      '(helper, "help me") still works',
      `${path("big.txt")} was read`,
    ])
      expect([part, again.split(part).length - 1]).toEqual([part, 1])
    expect(again).not.toContain("gone.txt")
    expect(again).not.toContain("a line of a long file")
  }
  expect(opened.session.memory.knownFiles.isShown(opened.workspace, path("sub/a.txt"))).toBe(true)
})

it("a file in the preserved messages is not sent twice, and a cleared conversation has no earlier file", async () => {
  const reads = (name: string) => ({ content: [call("Read", { file_path: `/workspace/${name}.txt` })] })
  const turns = [reads("early"), TWO[0], { ...reads("late"), ...FULL }]
  const after = [textAnswer("late"), textAnswer("later"), textAnswer("last")]
  const opened = await conversation(setting, turns, { options: { ...SMALL_WINDOW, ...PROJECT }, after })
  for (const name of ["early", "late"]) opened.workspace.writeBytes(`/workspace/${name}.txt`, `content of ${name}\n`)
  await opened.say("one")
  await opened.say("two")
  const sent = JSON.stringify(setting.messagesSent(opened.behind)[0])
  for (const name of ["early", "late"]) expect([name, sent.split(`content of ${name}`).length - 1]).toEqual([name, 1])
  for (const words of ["/clear", `${promptFor(opened.behind)} three`, "four", "/compact", "five"])
    await opened.say(words)
  expect(JSON.stringify(setting.messagesSent(opened.behind).at(-1))).not.toContain("content of")
})

it("a skill whose text was sent again after the summary is not sent a third time when it is called", async () => {
  const skill = (args: string) => ({ content: [call("Skill", { skill: "greet", args })] })
  const after = [DONE, skill("Ann"), skill("Bob"), textAnswer("last")]
  const opened = await conversation(setting, [skill("Ann"), ...TWO], { options: PROJECT, after })
  const file = "---\nname: greet\ndescription: Greets.\n---\nHello $ARGUMENTS"
  opened.workspace.writeBytes("/workspace/.claude/skills/greet/SKILL.md", file)
  for (const words of ["one", "two", "/compact", "three"]) await opened.say(words)
  const sent = (setting.messagesSent(opened.behind).at(-1) ?? []).map(textOf).join("\n")
  expect(sent.match(/Hello Ann/g)).toHaveLength(1)
  expect(sent.match(/The skill greet was loaded above: its instructions and arguments are the same/g)).toHaveLength(1)
  expect(sent.match(/The skill greet was loaded above\. The text that follows has other arguments/g)).toHaveLength(1)
  expect(sent.match(/Hello Bob/g)).toHaveLength(1)
})

it("a session that continues from `compact_boundary`, or is forked there, has an empty conversation", async () => {
  const opened = await conversation(setting, TWO, { after: [textAnswer("late"), textAnswer("later")] })
  for (const words of ["one", "two", "/compact", "three"]) await opened.say(words)
  const at = String(payloadsOf(opened.events(), "sdk:system/compact_boundary")[0]?.["uuid"])
  expect(new ForkExport(opened.session).start(at)).toMatchObject({ head: 1 })
  expect(opened.session.resumption.resume({ options: {}, at })).toBeUndefined()
  await opened.say(`${promptFor(opened.behind)} four`)
  expect(setting.messagesSent(opened.behind).at(-1)?.map(textOf)).toEqual([expect.stringMatching(/^\S+ go four$/)])
  expect(problemsOf(opened.events(), opened.ids)).toEqual([])
})

it("a session that continues from the summary has the compacted conversation", async () => {
  const turns = [{ content: [call("Read", { file_path: "/workspace/a.txt" })] }, ...TWO]
  const opened = await conversation(setting, turns, { options: PROJECT, after: [TWO[0], TWO[0], TWO[0]] })
  opened.workspace.writeBytes("/workspace/a.txt", "alpha\n")
  for (const words of ["one", "two", "/compact", "three"]) await opened.say(words)
  const summary = payloadsOf(opened.events(), "sdk:user").find((payload) => payload["isSynthetic"] === true)
  const at = String(summary?.["uuid"])
  expect(opened.session.resumption.resume({ options: PROJECT, at })).toBeUndefined()
  await opened.say("four")
  const sent = setting.messagesSent(opened.behind).at(-1) ?? []
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
  expect(textOf(sent[0])).toContain("SUMMARY")
  const last = JSON.stringify(sent[2])
  expect(last).toContain("1\\talpha")
  expect(last).toContain("four")
  expect(last).not.toContain("three")
})
