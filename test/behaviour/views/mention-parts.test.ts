// What a prompt mentions with @, and what runs as a subagent: the parts that show it, and what the model receives.
import { Schema } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { Message } from "../../../src/schemas/parts.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, textOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { busySessions, user } from "../prompts/busy-sessions.ts"

const setting = loop()
const { inMidTool } = busySessions(setting)

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper.", tools: ["Bash"] } }
const OPTIONS: SessionOptions = { ...BYPASS, agents: AGENTS }

const messagesOf = (events: ReadonlyArray<LogEvent>): ReadonlyArray<Message> =>
  Schema.decodeUnknownSync(Schema.Array(Message))(projectParts(SESSION_ID, events), { onExcessProperty: "error" })

const asked = async (text: string, options: SessionOptions = OPTIONS) => {
  const opened = await setting.connected({}, options)
  opened.workspace.writeBytes("/workspace/a b.txt", "alpha\n")
  opened.workspace.writeBytes("/workspace/src/c.ts", "1\n2\n3\n")
  opened.workspace.writeBytes("/workspace/helper.txt", "no agent")
  const script = setting.scripted([DONE])
  prompt(opened.session, `[[script:${script}]] ${text}`)
  await opened.idle()
  const events = eventsOf(opened.log)
  const [message] = messagesOf(events)
  const [, ...parts] = message?.parts ?? []
  return { parts, events, sent: textOf(setting.messagesSent(script).at(-1)?.at(-1)), before: script.length + 12 }
}

describe("a prompt that mentions files", () => {
  it("shows each as a file with its position in the text", async () => {
    const { parts, before } = await asked('@"a b.txt" and @src/c.ts#L2-3, @src @none.txt')
    const place = (value: string, at: number) => ({ value, start: before + at, end: before + at + value.length })
    expect(parts).toMatchObject([
      {
        type: "file",
        mime: "text/plain",
        filename: "a b.txt",
        url: "file:///workspace/a%20b.txt",
        source: { type: "file", path: "/workspace/a b.txt", text: place('@"a b.txt"', 0) },
      },
      {
        type: "file",
        filename: "c.ts",
        url: "file:///workspace/src/c.ts?start=2&end=3",
        source: { type: "file", path: "/workspace/src/c.ts", text: place("@src/c.ts#L2-3", 15) },
      },
      { type: "file", mime: "application/x-directory", filename: "src", source: { text: place("@src", 31) } },
    ])
  })

  it("shows none that may not be read", async () => {
    const { parts, events } = await asked("@src/c.ts @/etc/passwd", { ...OPTIONS, disallowedTools: ["Read(src/**)"] })
    expect(parts).toEqual([])
    expect(payloadsOf(events, "prompt:mentioned")).toEqual([])
  })
})

describe("a prompt that mentions an agent", () => {
  it.each(["@helper", "@agent-helper", '@"helper (agent)"'])(
    "as %s shows it, and the model reads it",
    async (value) => {
      const { parts, sent, before } = await asked(`${value} please`)
      expect(parts).toMatchObject([
        { type: "agent", name: "helper", source: { value, start: before, end: before + value.length } },
      ])
      expect(sent).toContain('The user mentions the agent "helper"')
    },
  )

  it("shows none that the model may not call, and a file of that name takes precedence", async () => {
    expect((await asked("@helper", { ...OPTIONS, disallowedTools: ["Agent"] })).parts).toEqual([])
    const { parts, sent } = await asked("@helper.txt @nobody")
    expect(parts).toMatchObject([{ type: "file", filename: "helper.txt" }])
    expect(sent).not.toContain("The user mentions the agent")
  })
})

describe("a prompt that mentions a resource of an MCP server", () => {
  const far = (): SessionOptions => ({ ...OPTIONS, mcpServers: { far: { type: "http", url: server.http } } })

  it("shows it as a file, and the model receives its text", async () => {
    const { parts, sent } = await asked("see @far:notes://one", far())
    expect(parts).toMatchObject([
      {
        type: "file",
        url: "notes://one",
        source: { type: "resource", clientName: "far", uri: "notes://one", text: { value: "@far:notes://one" } },
      },
    ])
    expect(sent).toContain("Remember the milk.")
  })

  it("shows none that the server does not have, and none of an unknown server", async () => {
    const { parts, events } = await asked("@far:notes://none @near:notes://one", far())
    expect(parts).toEqual([])
    expect(payloadsOf(events, "files:mentioned")).toEqual([])
  })
})

it("the mentions of a prompt that joins a turn are in its own message", async () => {
  const { client, release, idle, events, session, workspace } = await inMidTool()
  workspace.writeBytes("/workspace/late.txt", "late\n")
  client.send(user("and see @late.txt"))
  await until(() => session.inbox.open.length === 2)
  release()
  await idle()
  const files = messagesOf(events()).flatMap(({ parts }, index) =>
    parts.flatMap((part) =>
      part.type === "file" ? [[index, parts[0]?.type === "text" ? parts[0].text : "", part]] : [],
    ),
  )
  expect(files).toMatchObject([
    [expect.any(Number), "and see @late.txt", { source: { text: { value: "@late.txt", start: 8, end: 17 } } }],
  ])
})

describe("a subagent", () => {
  it("that the model calls is a subtask after its call", async () => {
    const inner = setting.scripted([DONE])
    const agent = call("Agent", {
      description: "Look around",
      prompt: promptFor(inner),
      subagent_type: "helper",
      run_in_background: false,
    })
    const { events } = await setting.finish([{ content: [agent] }, DONE], {}, OPTIONS)
    const answer = messagesOf(events()).find(({ parts }) => parts.some(({ type }) => type === "tool"))
    const at = answer?.parts.findIndex(({ type }) => type === "subtask") ?? -1
    expect(answer?.parts[at]).toMatchObject({
      description: "Look around",
      prompt: promptFor(inner),
      agent: "helper",
    })
    expect(answer?.parts[at]).not.toHaveProperty("command")
    expect(answer?.parts.findIndex(({ type }) => type === "tool")).toBeLessThan(at)
  })

  it("that a command runs as is a subtask of its prompt", async () => {
    const inner = setting.scripted([DONE])
    const commands = [{ name: "do", template: "[[script:$1]] do $2", agent: "helper" }]
    const { session, idle, log } = await setting.connected({}, { ...OPTIONS, commands })
    prompt(session, `/do ${inner} this`)
    await idle()
    const [message] = messagesOf(eventsOf(log))
    expect(message?.parts).toMatchObject([
      { type: "text", text: `/do ${inner} this` },
      { type: "subtask", agent: "helper", command: "do", prompt: `[[script:${inner}]] do this` },
    ])
  })
})
