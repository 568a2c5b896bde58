// A session of twenty steps with tools, asks, hooks, servers and a subagent: recorded, and played back without any of them.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../../src/recording/compare-signals.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { hookAndMcpServers } from "../../support/mcp/hook-and-mcp-servers.ts"
import { pageServer } from "../../support/server/page-server.ts"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import type { SessionHarness } from "../../support/session/session-harness.ts"
import { playing, prompts, RECORD, resultsOf, takeRecording } from "./recordings.ts"

const setting = loop()
const pages = pageServer()
const servers = hookAndMcpServers()

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: [text("Next."), ...uses] })
const bash = (command: string) => call("Bash", { command, description: "d" })

const HELPER = { description: "Helps.", prompt: "You are a helper.", tools: ["Read", "Bash"] }

const optionsOf = (): SessionOptions => ({
  agents: { helper: HELPER },
  allowedTools: ["Bash", "Agent", "WebFetch", "mcp__remote"],
  shell_network: true,
  mcpServers: { remote: { type: "http", url: servers.mcp.http } },
  hooks: { PostToolUse: [{ matcher: "Write", hooks: [{ type: "http", url: `${servers.hooks.url}/post` }] }] },
})

const scripts = () => {
  const sub = setting.scripted([
    calls(bash("wc -c a.txt")),
    calls(call("Read", { file_path: "/workspace/a.txt" })),
    textAnswer("Sub result."),
  ])
  const numbers = Array.from({ length: 8 }, (_, index) => calls(bash(`echo ${index} >> a.txt; date; cat a.txt`)))
  return setting.scripted([
    calls(call("Write", { file_path: "/workspace/a.txt", content: "one\n" })),
    calls(call("Read", { file_path: "/workspace/a.txt" }), bash("ls -l")),
    calls(call("Edit", { file_path: "/workspace/a.txt", old_string: "one", new_string: "two" })),
    calls(call("TodoWrite", { todos: [{ content: "x", status: "in_progress", activeForm: "doing x" }] })),
    calls(
      call("Agent", { description: "help", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }),
    ),
    calls(bash(`curl -s ${pages.origin}/data`)),
    calls(call("mcp__remote__structured", {})),
    calls(call("Grep", { pattern: "two", path: "/workspace" }), call("Glob", { pattern: "*.txt" })),
    ...numbers,
    calls(call("Write", { file_path: "/workspace/b.txt", content: "denied" })),
    calls(bash("cat b.txt")),
    calls(bash("rm a.txt")),
    textAnswer("Done."),
  ])
}

/** A client that allows every ask, except for one file. */
const attended = async (harness: SessionHarness) => {
  const client = harness.connect({
    PreToolUse: ({ tool_name: name }) =>
      name === "Edit" ? { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } } : {},
    Stop: {},
  })
  client.onAsk = ({ input }) =>
    JSON.stringify(input).includes("b.txt") ? { behavior: "deny", message: "Not that one." } : { behavior: "allow" }
  await client.initialize()
}

it("is played back without a model request, and its events are the same", async () => {
  const script = scripts()
  const harness = setting.harnessOf({ ...optionsOf(), ...RECORD })
  const booted = harness.boot()
  await attended(harness)
  const sent = [promptFor(script), "and now?"]
  await prompts(booted, sent)
  const recorded = takeRecording(booted.session)
  expect(resultsOf(recorded)).toMatchObject([{ subtype: "success", result: "Done." }, { subtype: "success" }])
  expect(setting.api.log.length).toBeGreaterThan(20)
  const outside = () => [
    setting.api.log.length,
    pages.asked.length,
    servers.hooks.deliveries.length,
    servers.mcp.asked.length,
  ]
  const before = outside()
  expect(before.every((count) => count > 0)).toBe(true)

  const { booted: played } = playing(setting, recorded, optionsOf())
  await prompts(played, sent)
  const again = takeRecording(played.session)
  expect(firstSignalDifference(recorded.signals, again.signals)).toBeNull()
  expect(again.signals.map(({ name }) => name).toSorted()).toEqual(recorded.signals.map(({ name }) => name).toSorted())
  expect(outside()).toEqual(before)
})
