// The hooks that a session fires: each event's input is one that the official SDK could have sent.
import { Result } from "effect"
import { expect, it } from "vitest"
import type { SessionOptions } from "../../src/schemas/sdk/options/options.ts"
import { decodeHookInput, HookInputs } from "../../src/schemas/sdk/hooks/hooks.ts"
import type { ScriptedApi } from "../support/session/scripted-api.mjs"
import { loop } from "../support/session/loop.ts"
import { call, promptFor, scriptName, textAnswer } from "../support/session/scripts.ts"
import { eventsOf, prompt } from "../support/session/session-harness.ts"

const sessions = loop()

/** Runs one turn and returns its hook events, decoded. */
const firedBy = async (turns: Parameters<ScriptedApi["set"]>[1], options: SessionOptions): Promise<Array<string>> => {
  const script = scriptName("fired")
  sessions.api.set(script, turns)
  const harness = sessions.harnessOf(options)
  const { session, log, idle } = harness.boot()
  prompt(session, promptFor(script))
  await idle()
  const fired = eventsOf(log).filter(({ name }) => name === "hook:fired")
  return fired.map(({ payload }) => {
    const { input } = payload as { readonly input: object }
    const decoded = Result.getOrThrow(decodeHookInput(input))
    expect(decoded.event).toBeDefined()
    const described = Object.keys(fieldsOf(decoded.event!))
    expect(described, `fields of ${decoded.event}`).toEqual(expect.arrayContaining(Object.keys(input)))
    return decoded.event!
  })
}

/** The fields of an event in the SDK's types, through the schema. */
const fieldsOf = (event: keyof typeof HookInputs): Readonly<Record<string, true>> => {
  const { ast } = HookInputs[event]
  if (ast._tag !== "Objects") throw new Error(`${event} is no object`)
  return Object.fromEntries(ast.propertySignatures.map(({ name }) => [String(name), true]))
}

it("a turn with calls that succeed and fail fires inputs of the SDK's types, without additional fields", async () => {
  const turns = [
    {
      content: [
        call("Write", { file_path: "/workspace/a", content: "x" }),
        call("Read", { file_path: "/workspace/no" }),
      ],
    },
    textAnswer("Done."),
  ]
  expect(new Set(await firedBy(turns, { permissionMode: "bypassPermissions" }))).toEqual(
    new Set([
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "PostToolUseFailure",
      "PostToolBatch",
      "Stop",
    ]),
  )
})

it("so does a turn whose calls are asked about or denied", async () => {
  const turns = [{ content: [call("Write", { file_path: "/workspace/a", content: "x" })] }, textAnswer("No.")]
  expect(await firedBy(turns, { permission_prompts: "deny" })).toContain("PermissionDenied")
  expect(await firedBy(turns, { permission_prompts: "ask" })).toEqual(
    expect.arrayContaining(["PermissionRequest", "Notification"]),
  )
})

it("so does a turn that the model refuses", async () => {
  const turns = [{ error: { status: 400, type: "invalid_request_error", message: "bad" } }]
  expect(await firedBy(turns, {})).toContain("StopFailure")
})
