// Clients that requested a session's commands are sent the new list when it has changed, and only then.
import { expect, it } from "vitest"
import { DONE, loop } from "../../support/session/loop.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const setting = loop()

const opened = async () => {
  const made = await setting.connected()
  const lists = () =>
    made.client.frames
      .filter((message) => message["subtype"] === "commands_changed")
      .map(({ commands }) => (commands as ReadonlyArray<{ name: string }>).map(({ name }) => name))
  const turn = async () => {
    prompt(made.session, promptFor(setting.scripted([DONE])))
    await made.idle()
  }
  const write = (name: string, text: string) =>
    made.workspace.writeBytes(`/workspace/.claude/commands/${name}.md`, text)
  return { ...made, lists, turn, write }
}

it("a file that was written is in the list that is sent when the next turn starts", async () => {
  const { lists, turn, write } = await opened()
  await turn()
  expect(lists()).toEqual([])
  write("new", "Do it.")
  await turn()
  await turn()
  expect(lists()).toEqual([expect.arrayContaining(["new", "help"])])
})

it("a file that changes nothing that clients see sends nothing", async () => {
  const { lists, turn, write } = await opened()
  write("new", "---\ndescription: Same\n---\nDo it.")
  await turn()
  write("new", "---\ndescription: Same\n---\nDo it otherwise.")
  await turn()
  expect(lists()).toHaveLength(1)
})

it("a session whose clients have not requested its commands sends none", async () => {
  const harness = setting.harnessOf()
  const { session, idle, workspace } = harness.boot()
  const client = harness.connect({})
  workspace.writeBytes("/workspace/.claude/commands/new.md", "Do it.")
  prompt(session, promptFor(setting.scripted([DONE])))
  await idle()
  expect(client.frames.map((message) => message["subtype"])).not.toContain("commands_changed")
})
