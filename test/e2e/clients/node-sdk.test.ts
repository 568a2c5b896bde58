// The official Node SDK's query() against a real server: permissions, hooks, tools of the app's own process, sessions.
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import net, { type AddressInfo } from "node:net"
import {
  createSdkMcpServer,
  type Options,
  type PermissionResult,
  query,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from "@anthropic-ai/claude-agent-sdk"
import { describe, expect, inject, it } from "vitest"
import { z } from "zod"
import { perch as door } from "../../../src/client/spawn.ts"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const through = (options: Options = {}, url = shared.url): Options => ({
  env: {},
  ...options,
  ...door({ url, apiKey: shared.key }),
})

interface Run {
  readonly messages: ReadonlyArray<SDKMessage>
  readonly result: Extract<SDKMessage, { type: "result" }>
  readonly session: string
}

const run = async (name: string, options: Options = {}, url?: string): Promise<Run> => {
  const messages: Array<SDKMessage> = []
  for await (const message of query({ prompt: promptFor(name), options: through(options, url) })) messages.push(message)
  const result = messages.at(-1)
  if (result?.type !== "result") throw new Error(`the last message is no result: ${JSON.stringify(result)}`)
  return { messages, result, session: result.session_id }
}

const writeScript = async (name: string, content = "from the model\n") => {
  const write = call("Write", { file_path: "/workspace/note.txt", content })
  await api.set(name, [{ content: [write] }, textAnswer("Finished.")])
  return write
}

describe("a prompt of query()", () => {
  it("with an option that Perch lacks ends with an error that names it, and runs nothing without its hooks", async () => {
    const name = scriptName("sdk-refused")
    await writeScript(name)
    const agents = { helper: { description: "Helps.", prompt: "Help.", memory: "project" as const } }
    const hooks = { PreToolUse: [{ hooks: [async () => ({})] }] }
    await expect(run(name, { agents, hooks, permissionMode: "bypassPermissions" })).rejects.toThrow(
      "initialize.agents.helper.memory",
    )
    expect(await api.requests(name)).toEqual([])
  })

  it("uses a tool, an in-process MCP tool, a hook and canUseTool before its result", async () => {
    const name = scriptName("sdk-whole")
    const write = call("Write", { file_path: "/workspace/note.txt", content: "from the model\n" })
    const add = call("mcp__calc__add", { a: 2, b: 40 })
    await api.set(name, [{ content: [write] }, { content: [add] }, textAnswer("It is 42.")])
    const seen: Array<string> = []
    const calc = createSdkMcpServer({
      name: "calc",
      tools: [
        tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async ({ a, b }) => {
          seen.push(`add ${a} ${b}`)
          return { content: [{ type: "text", text: String(a + b) }] }
        }),
      ],
    })
    const { messages, result, session } = await run(name, {
      permissionMode: "default",
      mcpServers: { calc },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (input) => {
                if (input.hook_event_name === "PreToolUse") seen.push(`before ${input.tool_name}`)
                return {}
              },
            ],
          },
        ],
      },
      canUseTool: async (toolName, input, { toolUseID }): Promise<PermissionResult> => {
        seen.push(`may ${toolName} ${[write.id, add.id].indexOf(toolUseID)}`)
        const changed = toolName === "Write" ? { content: "from the app\n" } : {}
        return { behavior: "allow", updatedInput: { ...input, ...changed } }
      },
    })
    expect(seen).toEqual(["before Write", "may Write 0", "before mcp__calc__add", "may mcp__calc__add 1", "add 2 40"])
    expect(result).toMatchObject({ subtype: "success", is_error: false, result: "It is 42.", permission_denials: [] })
    expect(await perch.getFile(session, "/workspace/note.txt")).toBe("from the app\n")
    expect(messages[0]).toMatchObject({ type: "system", subtype: "init", session_id: session })
    const requests = await api.requests(name)
    expect(JSON.stringify(toolResults(requests[2]!))).toContain("42")
  })

  it("receives a denial, and the tool does not run", async () => {
    const name = scriptName("sdk-deny")
    const write = await writeScript(name)
    const { result, session } = await run(name, {
      permissionMode: "default",
      canUseTool: async () => ({ behavior: "deny", message: "Not on a Sunday." }),
    })
    expect(result.permission_denials).toMatchObject([{ tool_name: "Write", tool_use_id: write.id }])
    expect(await perch.getFile(session, "/workspace/note.txt")).toBeNull()
    const [, second] = await api.requests(name)
    expect(JSON.stringify(toolResults(second!))).toContain("Not on a Sunday.")
  })

  it("without canUseTool denies at once what would need an ask", async () => {
    const name = scriptName("sdk-unattended")
    await writeScript(name)
    const { result, session } = await run(name, { permissionMode: "default" })
    expect(result).toMatchObject({ subtype: "success", permission_denials: [{ tool_name: "Write" }] })
    expect(await perch.getFile(session, "/workspace/note.txt")).toBeNull()
  })

  it("is stopped by a hook that denies", async () => {
    const name = scriptName("sdk-hook")
    await writeScript(name)
    const { session } = await run(name, {
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      hooks: {
        PreToolUse: [
          {
            matcher: "Write",
            hooks: [
              async () => ({
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "deny",
                  permissionDecisionReason: "The house rules say no.",
                },
              }),
            ],
          },
        ],
      },
    })
    expect(await perch.getFile(session, "/workspace/note.txt")).toBeNull()
    const [, second] = await api.requests(name)
    expect(JSON.stringify(toolResults(second!))).toContain("The house rules say no.")
  })

  it("streams partial messages on request", async () => {
    const name = scriptName("sdk-partial")
    await api.set(name, [textAnswer("Piece by piece by piece by piece.")])
    const { messages } = await run(name, { includePartialMessages: true })
    const pieces = messages.flatMap((message) =>
      message.type === "stream_event" &&
      message.event.type === "content_block_delta" &&
      message.event.delta.type === "text_delta"
        ? [message.event.delta.text]
        : [],
    )
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join("")).toBe("Piece by piece by piece by piece.")
  })
})

describe("a session of query()", () => {
  it("accepts prompts one after the other", async () => {
    const name = scriptName("sdk-stream")
    await api.set(name, [textAnswer("First."), textAnswer("Second.")])
    let next = () => {}
    const prompts = async function* () {
      for (const content of [promptFor(name), "and on"]) {
        const answered = new Promise<void>((resolve) => (next = resolve))
        yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null } satisfies SDKUserMessage
        await answered
      }
    }
    const results: Array<string> = []
    const sessions = new Set<string>()
    for await (const message of query({ prompt: prompts(), options: through() })) {
      if (message.type !== "result" || message.subtype !== "success") continue
      results.push(message.result)
      sessions.add(message.session_id)
      next()
    }
    expect(results).toEqual(["First.", "Second."])
    expect(sessions.size).toBe(1)
  })

  it("is the one that spawnPerch names, created if it does not exist", async () => {
    const sessionId = randomUUID()
    const named = door({ url: shared.url, apiKey: shared.key, sessionId })
    const answers: Array<string> = []
    const names = [scriptName("sdk-named"), scriptName("sdk-again")]
    for (const [index, name] of names.entries()) {
      await api.set(name, [textAnswer(`Answer ${index}.`)])
      for await (const message of query({ prompt: promptFor(name), options: { env: {}, ...named } })) {
        if (message.type === "result" && message.subtype === "success") answers.push(message.result)
        expect(message.session_id).toBe(sessionId)
      }
    }
    expect(answers).toEqual(["Answer 0.", "Answer 1."])
    expect(JSON.stringify((await api.requests(names[1]!))[0]?.body.messages)).toContain("Answer 0.")
  })

  it("is erased afterwards if it is not persistent", async () => {
    const name = scriptName("sdk-gone")
    await api.set(name, [textAnswer("Forget me.")])
    const { session } = await run(name, { persistSession: false })
    expect((await perch.request("GET", `/v1/sessions/${session}`)).status).toBe(404)
  })

  it("that does not exist is an error before any request", async () => {
    const name = scriptName("sdk-none")
    await api.set(name, [textAnswer("Never.")])
    await expect(run(name, { resume: randomUUID() })).rejects.toThrow(/returned an error result: .*session/)
    expect(await api.requests(name)).toEqual([])
  })

  it("that is aborted incurs no further cost", async () => {
    const name = scriptName("sdk-abort")
    await api.set(name, [{ content: [text("Never sent.")], hold: { gate: `${name}#0` } }])
    const controller = new AbortController()
    let session = ""
    const reading = (async () => {
      const options = through({ abortController: controller })
      for await (const message of query({ prompt: promptFor(name), options })) {
        session = message.session_id ?? session
        await eventually(async () => ((await api.requests(name)).length > 0 ? true : undefined))
        controller.abort()
      }
    })()
    await expect(reading).rejects.toThrow(/aborted/)
    const [event] = (await perch.eventsUntilResults(session, 1)).filter(({ name }) => name.startsWith("sdk:result"))
    expect(event?.payload).toMatchObject({ subtype: "error_during_execution", is_error: true })
  })
})

/** Forwards connections to the server, until they are cut. */
const proxy = async () => {
  const target = new URL(shared.url)
  const open = new Set<net.Socket>()
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.pipe(other)
      // When either side ends, the other ends too.
      one.on("error", () => other.destroy())
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    // A server that listens on TCP has an AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of open) socket.destroy()
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

describe("a connection that is cut", () => {
  it("while the model answers loses no message and sends none twice", async () => {
    const name = scriptName("sdk-cut")
    const gate = `${name}#1`
    const write = call("Write", { file_path: "/workspace/note.txt", content: "kept\n" })
    await api.set(name, [{ content: [write] }, { content: [text("After the cut.")], hold: { gate } }])
    const network = await proxy()
    try {
      const cut = (async () => {
        await eventually(async () => ((await api.requests(name)).length > 1 ? true : undefined))
        network.cut()
        await api.release(gate)
      })()
      const options = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true } as const
      const { messages, result, session } = await run(name, options, network.url)
      await cut
      expect(result).toMatchObject({ subtype: "success", result: "After the cut." })
      // The SDK does not expose the session's state that it receives.
      const logged = (await perch.events(session)).filter(
        ({ name }) => name.startsWith("sdk:") && name !== "sdk:system/session_state_changed",
      )
      const uuids = messages.flatMap((message) =>
        "uuid" in message && message.uuid !== undefined ? [message.uuid] : [],
      )
      expect(new Set(uuids).size).toBe(uuids.length)
      expect(uuids).toEqual(expect.arrayContaining(logged.map(({ payload }) => payload.uuid)))
    } finally {
      await network.close()
    }
  })

  it("while an ask is open receives its answer once", async () => {
    const name = scriptName("sdk-cut-ask")
    await writeScript(name, "asked\n")
    const network = await proxy()
    try {
      let asked = 0
      const { result, session } = await run(
        name,
        {
          permissionMode: "default",
          canUseTool: async (_tool, input) => {
            asked += 1
            network.cut()
            return { behavior: "allow", updatedInput: input }
          },
        },
        network.url,
      )
      expect(result).toMatchObject({ subtype: "success", result: "Finished." })
      expect(asked).toBe(1)
      expect(await perch.getFile(session, "/workspace/note.txt")).toBe("asked\n")
    } finally {
      await network.close()
    }
  })
})
