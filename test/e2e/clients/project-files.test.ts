// A folder with CLAUDE.md, skills, subagents and settings, sent to a real server by the official Node SDK.
import fs from "node:fs"
import { query, type SDKMessage } from "@anthropic-ai/claude-agent-sdk"
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest"
import { perch as door } from "../../../src/client/spawn.ts"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { plant, temporaryFolder } from "../../support/values/folder.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const folders: Array<string> = []

const folder = (): string => {
  const made = temporaryFolder()
  folders.push(made)
  return made
}

beforeAll(() => {
  vi.stubEnv("PERCH_STATE_DIR", folder())
})

afterAll(() => {
  vi.unstubAllEnvs()
  for (const made of folders) fs.rmSync(made, { recursive: true, force: true })
})

const FILES = {
  "CLAUDE.md": "Answer in one line. @docs/style.md\n",
  "docs/style.md": "No exclamation marks.\n",
  "notes/CLAUDE.md": "Notes are in English.\n",
  "notes/a.txt": "a\n",
  ".claude/skills/greet/SKILL.md": "---\nname: greet\ndescription: Greets people\n---\nSay hello to $ARGUMENTS.\n",
  ".claude/skills/other/SKILL.md": "---\ndescription: Not chosen\n---\nOther.\n",
  ".claude/agents/helper.md": "---\nname: helper\ndescription: Helps\n---\nYou help.\n",
  ".claude/settings.json": JSON.stringify({
    permissions: { allow: ["Bash(touch:*)"], deny: ["Bash(rm:*)"] },
    hooks: { Stop: [{ hooks: [{ type: "command", command: "./done.sh" }] }] },
  }),
}

it("query() with settingSources and skills works as with a checkout", async () => {
  const cwd = folder()
  plant(cwd, FILES)
  const name = scriptName("project")
  await api.set(name, [
    { content: [call("Skill", { skill: "greet", args: "Ann" })] },
    { content: [call("Skill", { skill: "other" })] },
    { content: [call("Read", { file_path: `${cwd}/notes/a.txt` })] },
    { content: [call("Bash", { command: "touch made", description: "d" })] },
    { content: [call("Bash", { command: "rm made", description: "d" })] },
    textAnswer("Hello Ann."),
  ])
  const messages: Array<SDKMessage> = []
  const opening = door({ url: shared.url, apiKey: shared.key, upload: true })
  const prompt = promptFor(name)
  const running = query({
    prompt,
    options: { env: {}, cwd, settingSources: ["user", "project"], skills: ["greet"], ...opening },
  })
  const commands = running.supportedCommands()
  for await (const message of running) messages.push(message)

  const init = messages.find((message) => message.type === "system" && message.subtype === "init")
  expect(init).toMatchObject({ skills: ["greet", "other"], tools: expect.arrayContaining(["Skill"]) })
  expect(init).toMatchObject({ agents: expect.arrayContaining(["helper"]) })
  const notice = messages.find((message) => message.type === "system" && JSON.stringify(message).includes("./done.sh"))
  expect(notice).toMatchObject({ subtype: "informational", level: "warning" })
  expect(await commands).toEqual(expect.arrayContaining([expect.objectContaining({ name: "init" })]))

  const requests = await api.requests(name)
  const [begun] = requests.map(({ body }) => JSON.stringify(body.messages[0]))
  expect(begun).toMatch(/Answer in one line.*No exclamation marks.*- greet: Greets people.*\[\[script:/s)
  expect(begun).not.toContain("Say hello")
  expect(begun).not.toContain("Notes are in English")
  // The first request's messages are repeated byte for byte, except for the cache breakpoint.
  const bare = ({ body }: (typeof requests)[number]) =>
    JSON.stringify(body.messages[0]).replaceAll(',"cache_control":{"type":"ephemeral"}', "")
  for (const request of requests) expect(bare(request)).toBe(bare(requests[0]!))

  const last = requests.at(-1)!
  const [skill, other, , touched, removed] = toolResults(last)
  expect(skill).toMatchObject({ content: "Launching skill: greet" })
  expect(JSON.stringify(last.body.messages)).toContain("Say hello to Ann.")
  expect(other?.["content"]).toContain("Only users can start the skill other")
  expect(JSON.stringify(last.body.messages)).toContain("Notes are in English.")
  expect([touched, removed].map((result) => result?.["is_error"] === true)).toEqual([false, true])
  expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", result: "Hello Ann." })
})

it("query() without settingSources reads none of it", async () => {
  const cwd = folder()
  plant(cwd, FILES)
  const name = scriptName("no-project")
  await api.set(name, [textAnswer("Done.")])
  const opening = door({ url: shared.url, apiKey: shared.key, upload: true })
  const messages: Array<SDKMessage> = []
  for await (const message of query({ prompt: promptFor(name), options: { env: {}, cwd, ...opening } }))
    messages.push(message)
  const [request] = await api.requests(name)
  expect(JSON.stringify(request?.body)).not.toMatch(/one line|Greets people|"Skill"/)
  expect(messages[0]).toMatchObject({ subtype: "init", skills: [] })
})
