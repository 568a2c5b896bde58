// The state after a compaction: the history that clients read, images, and the instructions of the project.
import { expect, it } from "vitest"
import { messagesResponse } from "../../../src/session/pages/messages-response.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { loop, textOf, type Turns } from "../../support/session/loop.ts"
import { PROJECT } from "../../support/session/project-session.ts"
import { promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, SESSION_ID } from "../../support/session/session-harness.ts"
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
  opened.workspace.writeBytes("/workspace/CLAUDE.md", "BEFORE")
  await opened.say("one")
  await opened.say("two")
  opened.workspace.writeBytes("/workspace/CLAUDE.md", "AFTER")
  await opened.say("/compact")
  await opened.say("three")
  expect(textOf(setting.messagesSent(opened.script)[0]?.[0])).toContain("BEFORE")
  const sent = JSON.stringify(setting.messagesSent(opened.behind)[0])
  expect(sent).toContain("AFTER")
  expect(sent).not.toContain("BEFORE")
})
