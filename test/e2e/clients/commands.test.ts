// Slash commands, skills and CLAUDE.md through the official Node SDK on a real server: what it lists, which scripts need an
// ask, and what runs.
import { randomUUID } from "node:crypto"
import { type CanUseTool, query, type SDKMessage, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import { expect, inject, it } from "vitest"
import { perch as door } from "../../../src/client/spawn.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)

const FILES = {
  "CLAUDE.md": "Answer in one line.",
  "notes.txt": "remember the milk",
  ".claude/commands/make.md": "---\ndescription: Makes it\n---\n[[script:$1]] made: !`touch made && echo yes`",
  ".claude/commands/ask.md": "---\ncontext: fork\nagent: helper\n---\n[[script:$1]] do it",
  ".claude/skills/remind/SKILL.md":
    "---\ndescription: Reminds\nargument-hint: [what]\n---\n$ARGUMENTS: !`cat notes.txt`",
  ".claude/agents/helper.md": "---\nname: helper\ndescription: Helps\n---\nYou help.",
}

const allow: CanUseTool = async (_tool, input) => ({ behavior: "allow", updatedInput: input })

/** A session with the files; `say` sends a prompt and resolves with the result. */
const opened = async (canUseTool: CanUseTool = allow) => {
  const id = randomUUID()
  await client.json("POST", "/v1/sessions", { json: { id, cwd: "/workspace" }, status: 201 })
  for (const [name, content] of Object.entries(FILES)) await client.putFile(id, `/workspace/${name}`, content)
  const messages: Array<SDKMessage> = []
  const waiting: Array<(prompt: string | null) => void> = []
  const queued: Array<string | null> = []
  const next = () =>
    new Promise<string | null>((resolve) => {
      const prompt = queued.shift()
      if (prompt === undefined) waiting.push(resolve)
      else resolve(prompt)
    })
  const input = async function* (): AsyncGenerator<SDKUserMessage> {
    for (let content = await next(); content !== null; content = await next())
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null }
  }
  const running = query({
    prompt: input(),
    options: {
      env: {},
      settingSources: ["project"],
      permissionMode: "default",
      canUseTool,
      ...door({ url: shared.url, apiKey: shared.key, sessionId: id }),
    },
  })
  const read = (async () => {
    for await (const message of running) messages.push(message)
  })()
  const send = (prompt: string | null) => {
    const resolve = waiting.shift()
    if (resolve === undefined) queued.push(prompt)
    else resolve(prompt)
  }
  const results = () => messages.filter(({ type }) => type === "result")
  const say = async (prompt: string) => {
    const before = results().length
    send(prompt)
    return eventually(async () => results()[before])
  }
  const close = async () => {
    send(null)
    await read
  }
  return { id, running, messages, say, close }
}

const firstPrompt = async (name: string) =>
  JSON.stringify((await api.requests(name))[0]?.body.messages.filter(({ role }) => role === "user"))

it("lists commands, skills and agents, over the API too, and a command that runs a script is asked about like Bash", async () => {
  const asked: Array<unknown> = []
  const { id, running, say, close } = await opened(async (tool, input, options) => {
    asked.push([tool, input])
    return allow(tool, input, options)
  })
  const commands = await running.supportedCommands()
  expect(commands).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: "make", description: "Makes it (project)" }),
      expect.objectContaining({ name: "remind", argumentHint: "[what]" }),
    ]),
  )
  expect((await running.supportedAgents()).map(({ name }) => name)).toContain("helper")
  const { data } = await client.json<{ data: ReadonlyArray<Record<string, unknown>> }>(
    "GET",
    `/v1/sessions/${id}/commands`,
  )
  expect(data.map(({ name }) => name)).toEqual(commands.map(({ name }) => name))
  expect(data).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: "ask", source: "workspace", agent: "helper" })]),
  )

  const name = scriptName("make")
  await api.set(name, [textAnswer("Done.")])
  expect(await say(`/make ${name}`)).toMatchObject({ subtype: "success", result: "Done." })
  expect(asked).toEqual([["Bash", expect.objectContaining({ command: "touch made && echo yes" })]])
  expect(await firstPrompt(name)).toMatch(/Answer in one line.*made: yes/s)
  await close()
})

it("a command whose script is denied says so in its place", async () => {
  const { say, close } = await opened(async () => ({ behavior: "deny", message: "not today" }))
  const name = scriptName("refused")
  await api.set(name, [textAnswer("Done.")])
  expect(await say(`/make ${name}`)).toMatchObject({ permission_denials: [{ tool_name: "Bash" }] })
  expect(await firstPrompt(name)).toMatch(/made: Error: .*not today/s)
  await close()
})

it("a skill as a command runs its script; a prompt that mentions a file includes it; a fork answers as its agent", async () => {
  const { say, close } = await opened()
  const [reminded, seen, sub] = [scriptName("reminded"), scriptName("seen"), scriptName("sub")]
  for (const name of [reminded, seen, sub]) await api.set(name, [textAnswer(`${name} done`)])
  await say(`/remind [[script:${reminded}]]`)
  expect(await firstPrompt(reminded)).toContain("remember the milk")
  await say(`[[script:${seen}]] see @notes.txt`)
  expect(await firstPrompt(seen)).toContain("1\\tremember the milk")
  expect(await say(`/ask ${sub}`)).toMatchObject({ result: `${sub} done`, local_command: "custom", num_turns: 0 })
  await close()
})

it("a command file that is written while the session is idle is announced in the new list", async () => {
  const { id, running, messages, close } = await opened()
  await running.supportedCommands()
  await client.putFile(id, "/workspace/.claude/commands/late.md", "Later.")
  await eventually(async () =>
    messages.find((message) => message.type === "system" && message.subtype === "commands_changed"),
  )
  expect((await running.supportedCommands()).map(({ name }) => name)).toContain("late")
  await close()
})
