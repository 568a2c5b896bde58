import { expect, it } from "vitest"
import { DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { eventsOf } from "../../support/session/session-harness.ts"
import { user } from "../prompts/busy-sessions.ts"

const setting = loop()

/** Sends the prompts one after the other; returns the echoes, and the names of each turn's events. */
const echoed = async (...prompts: ReadonlyArray<{ readonly content: unknown; readonly uuid?: string }>) => {
  const { session, client, idle, log } = await setting.connected({}, { replay_user_messages: true })
  session.workspace.mkdir("/workspace/.claude/commands", { recursive: true })
  const text = `[[script:${setting.scripted([DONE])}]] Say hello to $ARGUMENTS`
  const files = { hello: text, forked: `---\nagent: general-purpose\n---\n${text}` }
  for (const [name, content] of Object.entries(files)) {
    session.workspace.writeBytes(`/workspace/.claude/commands/${name}.md`, content)
  }
  for (const { content, ...fields } of prompts) {
    client.send(user(content, fields))
    await idle()
  }
  const events = eventsOf(log)
  const echoes = payloadsOf(events, "sdk:user").filter(({ isReplay }) => isReplay === true)
  return {
    events,
    echoes: echoes.map(({ uuid, message }) => [uuid, (message as { readonly content: unknown }).content]),
  }
}

const [one, two, three] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]

it("a command of the workspace is echoed as the model is sent it", async () => {
  const { echoes } = await echoed({ content: "/hello you", uuid: one }, { content: "/hello", uuid: two })
  expect(echoes).toEqual([
    [
      one,
      "<command-message>hello</command-message>\n<command-name>/hello</command-name>\n<command-args>you</command-args>",
    ],
    [two, "<command-message>hello</command-message>\n<command-name>/hello</command-name>"],
  ])
})

it("a command that needs no model is echoed before its result if the prompt has a uuid", async () => {
  const { echoes, events } = await echoed(
    { content: "/cost", uuid: one },
    { content: "/cost" },
    { content: "/clear now", uuid: two },
  )
  expect(echoes).toEqual([
    [one, "<command-message>cost</command-message>\n<command-name>/cost</command-name>"],
    [
      two,
      "<command-message>clear</command-message>\n<command-name>/clear</command-name>\n<command-args>now</command-args>",
    ],
  ])
  const names = events.filter(({ turn, name }) => turn === one && /^sdk:(?!command_|system\/session)/.test(name))
  expect(names.map(({ name }) => name)).toEqual(["sdk:system/init", "sdk:assistant", "sdk:user", "sdk:result/success"])
})

it("any other prompt is echoed as it was written", async () => {
  const several = [
    { type: "text", text: "/hello you" },
    { type: "text", text: "and me" },
  ]
  const { echoes } = await echoed(
    { content: "/unknown", uuid: one },
    { content: several, uuid: two },
    { content: "/forked", uuid: three },
  )
  expect(echoes).toEqual([
    [one, "/unknown"],
    [two, several],
    [three, "/forked"],
  ])
})
