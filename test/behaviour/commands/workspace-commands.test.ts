// Commands that are files of the workspace.
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, loop, payloadsOf, textOf } from "../../support/session/loop.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const setting = loop()

const opened = async (files: Readonly<Record<string, string>>, options: SessionOptions = {}) => {
  const booted = await setting.connected({}, options)
  const write = (path: string, text: string) => {
    const at = `/workspace/.claude/commands/${path}`
    booted.session.workspace.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true })
    booted.session.workspace.writeBytes(at, text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const script = setting.scripted([DONE, DONE, DONE])
  const events = () => eventsOf(booted.log)
  const run = async (text: string) => {
    const turn = prompt(booted.session, text)
    await booted.idle()
    expect(problemsOf(events(), [turn])).toEqual([])
    return events().filter((event) => event.turn === turn)
  }
  return { ...booted, script, write, run, events, sent: () => setting.messagesSent(script) }
}

it("a file is a command, named in the prompt as in the official SDK", async () => {
  const { run, script, sent } = await opened({
    "team/greet.md": "---\ndescription: Greets.\n---\n[[script:$1]] Hello $2\n",
  })
  const [init] = payloadsOf(await run(`/team:greet ${script} Bob`), "sdk:system/init")
  expect(init?.["slash_commands"]).toContain("team:greet")
  expect(sent()[0]?.[0]?.content.map(({ text }) => text)).toEqual([
    `<command-message>team:greet</command-message>\n<command-name>/team:greet</command-name>\n<command-args>${script} Bob</command-args>\n`,
    `[[script:${script}]] Hello Bob`,
  ])
})

it("arguments without a placeholder are appended", async () => {
  const { run, script, sent, write } = await opened({})
  write("plain.md", `[[script:${script}]] Do it.\n`)
  await run("/plain with care")
  expect(sent()[0]?.[0]?.content.at(-1)?.text).toBe(`[[script:${script}]] Do it.\n\nARGUMENTS: with care`)
})

it("allowed-tools apply to the turn, but override no deny rule", async () => {
  const text = (tools: string) =>
    `---\nallowed-tools: ${tools}\n---\n[[script:$1]] !\`touch made.txt\` !\`rm kept.txt\` end`
  const { run, script, sent, session } = await opened(
    { "do.md": text("Bash(touch:*), Bash(rm:*)") },
    { permission_prompts: "deny", disallowedTools: ["Bash(rm *)"] },
  )
  session.workspace.writeBytes("/workspace/kept.txt", "x")
  await run(`/do ${script}`)
  expect(textOf(sent()[0]?.[0])).toMatch(/\]\] {2}Error: .* end$/s)
  expect(session.workspace.exists("/workspace/made.txt")).toBe(true)
  expect(session.workspace.exists("/workspace/kept.txt")).toBe(true)
  expect(session.permissions.policy().rules.allow).toEqual([])
})

it("disallowed-tools deny calls of the command's turn alone", async () => {
  const { run, script, session } = await opened(
    { "look.md": "---\ndisallowed-tools: Bash(rm *)\n---\n[[script:$1]] !`rm kept.txt`" },
    { permissionMode: "bypassPermissions" },
  )
  session.workspace.writeBytes("/workspace/kept.txt", "x")
  await run(`/look ${script}`)
  expect(session.workspace.exists("/workspace/kept.txt")).toBe(true)
  expect(session.permissions.policy().rules.deny).toEqual([])
})

it("a broken file is not listed, is reported once, and does not affect the others", async () => {
  const { run, script, sent, write } = await opened({
    "broken.md": "---\nno field here\n---\nx",
    "good.md": "[[script:$1]]",
  })
  const first = await run(`/good ${script}`)
  const [init] = payloadsOf(first, "sdk:system/init")
  expect(init?.["slash_commands"]).toContain("good")
  expect(init?.["slash_commands"]).not.toContain("broken")
  const notice = expect.stringContaining(".claude/commands/broken.md")
  expect(payloadsOf(first, "sdk:system/informational")).toEqual([expect.objectContaining({ content: notice })])
  expect(payloadsOf(await run(`/good ${script}`), "sdk:system/informational")).toEqual([])
  write("broken.md", "[[script:$1]] mended")
  await run(`/broken ${script}`)
  expect(textOf(sent()[2]?.at(-1))).toContain("mended")
})

it("a file that changes is read again, and a deleted one is no longer a command", async () => {
  const { run, script, sent, write, session } = await opened({ "do.md": "[[script:$1]] one" })
  await run(`/do ${script}`)
  write("do.md", "[[script:$1]] two")
  await run(`/do ${script}`)
  session.workspace.remove("/workspace/.claude", { recursive: true })
  await run(`/do [[script:${script}]]`)
  const last = sent().map((messages) => textOf(messages.at(-1)).split("]] ")[1])
  expect(last).toEqual(["one", "two", undefined])
})

it("files are left out if settingSources excludes the project, and if a deny rule forbids reading them", async () => {
  for (const options of [
    { settingSources: [] },
    { disallowedTools: ["Read(.claude/**)"] },
  ] satisfies Array<SessionOptions>) {
    const { session } = await opened({ "do.md": "x" }, options)
    expect(session.commands.book.find("do")).toBeUndefined()
  }
})

it("a command of the options takes precedence over a file of the same name", async () => {
  const options: SessionOptions = { commands: [{ name: "do", template: "[[script:$1]] of the options" }] }
  const { run, script, sent } = await opened({ "do.md": "of the file" }, options)
  await run(`/do ${script}`)
  expect(textOf(sent()[0]?.[0])).toContain("of the options")
})

it("a file that is not for people is not listed, and a prompt that calls it gets an answer", async () => {
  const { run, session, sent } = await opened({ "own.md": "---\nuser-invocable: false\n---\n[[script:$1]]\n" })
  const events = await run("/own x")
  expect(payloadsOf(events, "sdk:system/init")[0]?.["slash_commands"]).not.toContain("own")
  expect(payloadsOf(events, "sdk:result/success")).toMatchObject([
    { num_turns: 0, result: "/own is not for people: its file sets user-invocable to false." },
  ])
  expect(sent()).toEqual([])
  expect(session.commands.book.names).not.toContain("own")
})
