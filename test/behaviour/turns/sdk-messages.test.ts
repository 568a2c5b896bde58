// Decodes every SDK message that a turn logs with the type of its name: Perch sends only messages that the SDK has.
import { Result } from "effect"
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { decodeSdkMessage } from "../../../src/schemas/sdk/messages/messages.ts"
import type { ScriptedApi } from "../../support/session/scripted-api.mjs"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, prompt } from "../../support/session/session-harness.ts"

const sessions = loop()

type Turns = Parameters<ScriptedApi["set"]>[1]

const start = (turns: Turns, options: SessionOptions = { permissionMode: "bypassPermissions" }): Booted => {
  const script = scriptName("messages")
  sessions.api.set(script, turns)
  const harness = sessions.harnessOf(options)
  const booted = harness.boot()
  prompt(booted.session, promptFor(script))
  return booted
}

/** The types that the log's messages decode to; each must have the name of its event and round-trip. */
const membersOf = ({ log }: Booted): ReadonlyArray<string> =>
  eventsOf(log)
    .filter((event) => event.name.startsWith("sdk:"))
    .map((event) => {
      const { member, message } = Result.getOrThrow(decodeSdkMessage(event.payload))
      expect(member).toBe(event.name.slice("sdk:".length))
      expect(message).toStrictEqual(event.payload)
      return member
    })

const write = () => call("Write", { file_path: "/workspace/n.txt", content: "x" })
const done = { content: [text("Done.")] }

it("of a turn with thinking, tools, a failing tool and an unknown one", async () => {
  const booted = start([
    {
      content: [
        { type: "thinking", thinking: "hm", signature: "c2ln" },
        { type: "redacted_thinking", data: "AA==" },
        write(),
        call("Bash", { command: "exit 3", description: "d" }),
        call("Nope", {}),
      ],
    },
    done,
  ])
  await booted.idle()
  const members = membersOf(booted)
  expect(members.filter((member) => member === "assistant")).toHaveLength(6)
  expect(members.filter((member) => member === "user")).toHaveLength(3)
  expect(members.slice(-2)).toEqual(["result/success", "system/session_state_changed"])
})

it("of an ask that is answered, and its change of the mode", async () => {
  const booted = start([{ content: [write()] }, done], {})
  await booted.idle()
  booted.session.asks.answer(booted.session.askStore.open[0]!.requestId, {
    behavior: "allow",
    updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
  })
  await booted.idle()
  expect(membersOf(booted)).toContain("system/status")
})

it("of a denial without an ask", async () => {
  const booted = start([{ content: [write()] }, done], { permission_prompts: "deny" })
  await booted.idle()
  expect(membersOf(booted)).toContain("system/permission_denied")
})

it("of a request that is retried, and of one that finally fails", async () => {
  const busy = { error: { status: 529, type: "overloaded_error", message: "busy" } }
  const retried = start([[busy, done]])
  await retried.idle()
  expect(membersOf(retried)).toContain("system/api_retry")
  const failed = start([{ error: { status: 400, type: "invalid_request_error", message: "bad" } }])
  await failed.idle()
  expect(membersOf(failed)).toContain("result/success")
})

it("of a stream that disconnects after a text and continues", async () => {
  const booted = start([
    { content: [text("Complete."), text("never finished words")], chunk: 50, drop: { after: 7 } },
    done,
  ])
  await booted.idle()
  expect(membersOf(booted)).toContain("user")
})

it("of a turn at its limit", async () => {
  const booted = start([{ content: [write()] }, done], { permissionMode: "bypassPermissions", maxTurns: 1 })
  await booted.idle()
  expect(membersOf(booted)).toContain("result/error_max_turns")
})

it("of an interrupted ask", async () => {
  const booted = start([{ content: [write(), write()] }, done], {})
  await booted.idle()
  booted.session.asks.answer(booted.session.askStore.open[0]!.requestId, {
    behavior: "deny",
    message: "stop",
    interrupt: true,
  })
  await booted.idle()
  expect(membersOf(booted)).toContain("result/error_during_execution")
})
