// Prompts that mention files: what the model receives of them, what it knows afterwards, and what is never read.
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, namesOf, payloadsOf, textOf, toolResultsOf } from "../../support/session/loop.ts"
import { projectSession } from "../../support/session/project-session.ts"
import { call } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const setting = loop()

const FILES = { "a.txt": "alpha\n", "sub/b.txt": "b1\nb2\nb3\n", "sp ace.txt": "spaced", "sub/CLAUDE.md": "Nested." }
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const opened = async (options: SessionOptions = BYPASS) => {
  const made = await projectSession(setting, FILES, options)
  /** Sends a prompt; returns the last message that the model was sent. */
  const mention = async (text: string, turns: Parameters<typeof setting.scripted>[0] = [DONE]) => {
    const script = setting.scripted(turns)
    prompt(made.session, `[[script:${script}]] ${text}`)
    await made.idle()
    return setting.messagesSent(script)
  }
  return { ...made, mention }
}

const shown = (texts: string) => texts.replaceAll(/<system-reminder>\n|\n<\/system-reminder>/g, "")

it("the model receives each file as if it had read it, before the prompt", async () => {
  const { mention, events } = await opened()
  const [[message] = []] = await mention('see @a.txt, @sub/b.txt#L2-3 @"sp ace.txt" @sub @none.txt')
  const read = (input: string, result: string) => [
    `Called the Read tool with the following input: ${input}`,
    `Result of calling the Read tool:\n${result}`,
  ]
  expect(shown(textOf(message)).split("\n[[script:")[0]).toBe(
    [
      ...read('{"file_path":"/workspace/a.txt"}', "1\talpha\n2\t"),
      ...read(
        '{"file_path":"/workspace/sub/b.txt","offset":2,"limit":2}',
        "2\tb2\n3\tb3\n\n(Lines 2-3 of 4. Continue with offset 4.)",
      ),
      ...read('{"file_path":"/workspace/sp ace.txt"}', "1\tspaced"),
      'Called the Bash tool with the following input: {"command":"ls /workspace/sub","description":"Lists files in /workspace/sub"}',
      "Result of calling the Bash tool:\nCLAUDE.md\nb.txt",
    ].join("\n"),
  )
  expect(payloadsOf(events(), "files:mentioned")).toHaveLength(1)
})

it("the model may then edit the file, and its content is not sent again until it changes", async () => {
  const { mention, write, events, read } = await opened()
  const edit = call("Edit", { file_path: "/workspace/a.txt", old_string: "alpha", new_string: "beta" })
  await mention("see @a.txt", [{ content: [edit] }, DONE])
  expect(toolResultsOf(events())[0]?.is_error).not.toBe(true)
  await mention("again @a.txt")
  expect(payloadsOf(events(), "files:mentioned")).toHaveLength(1)
  write({ "a.txt": "gamma" })
  expect(textOf((await mention("again @a.txt")).at(-1)?.at(-1))).toContain("1\tgamma")
  await read("a.txt")
})

it("an image is sent as an image", async () => {
  const { mention, workspace } = await opened()
  workspace.writeBytes("/workspace/i.png", Buffer.from(PIXEL, "base64"))
  const [[message] = []] = await mention("see @i.png")
  expect(message?.content).toContainEqual(
    expect.objectContaining({ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }),
  )
})

it.each([
  ["a file that a deny rule keeps from Read", { disallowedTools: ["Read(a.txt)"] }, "@a.txt"],
  ["a file outside of the session's directories", {}, "@/etc/secret"],
  ["a path that leads out", {}, "@../etc/secret"],
  ["a link that leads out", {}, "@link"],
  ["a binary file", {}, "@bytes"],
  ["a name without a file", {}, "@nobody and me@a.txt"],
])("%s is not shown", async (_name, options, text) => {
  const { mention, workspace, events } = await opened({ ...BYPASS, ...options })
  workspace.writeBytes("/etc/secret", "SECRET")
  workspace.symlink("/etc/secret", "/workspace/link")
  workspace.writeBytes("/workspace/bytes", new Uint8Array([0, 1, 2, 0]))
  const [[message] = []] = await mention(text)
  expect(textOf(message)).toMatch(/^\[\[script:/)
  expect(namesOf(events())).not.toContain("files:mentioned")
})

it("a mentioned file also sends the instructions of its folder", async () => {
  const { mention } = await opened({ ...BYPASS, settingSources: ["project"] })
  const [[message] = []] = await mention("see @sub/b.txt")
  expect(textOf(message)).toMatch(/1\tb1.*Nested\..*\[\[script:/s)
})

it("a command's text can mention files, and the output of its scripts can't", async () => {
  const commands = [
    { name: "see", template: "[[script:$1]] @$2" },
    { name: "run", template: "[[script:$1]] @sub/b.txt !`echo @a.txt`" },
  ]
  const { session, idle } = await opened({ ...BYPASS, commands })
  const script = setting.scripted([DONE])
  prompt(session, `/see ${script} a.txt`)
  await idle()
  expect(textOf(setting.messagesSent(script)[0]?.[0])).toMatch(/1\talpha.*\[\[script:/s)
  const other = setting.scripted([DONE])
  prompt(session, `/run ${other}`)
  await idle()
  const sent = textOf(setting.messagesSent(other)[0]?.at(-1))
  expect(sent).toMatch(/1\tb1.*\[\[script:\S+ @sub\/b.txt @a.txt$/s)
  expect(sent).not.toContain("alpha")
})

it("a large file is limited, and so is the number of files", async () => {
  const { mention, write, workspace } = await opened()
  write(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`many/f${at}`, `text ${at}`])))
  workspace.writeBytes("/workspace/huge", new Uint8Array(9 * 1024 * 1024).fill(97))
  const all = `@huge ${Array.from({ length: 30 }, (_, at) => `@many/f${at}`).join(" ")}`
  const [[message] = []] = await mention(all)
  expect(textOf(message).match(/Called the Read tool/g)).toHaveLength(20)
})

it("after the conversation was cleared a file is sent again", async () => {
  const { mention, session, idle } = await opened()
  await mention("see @a.txt")
  prompt(session, "/clear")
  await idle()
  expect(textOf((await mention("see @a.txt")).at(-1)?.at(-1))).toContain("1\talpha")
})
