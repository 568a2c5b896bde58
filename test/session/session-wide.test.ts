// Options that apply to the whole session: a prompt that brings a different one is refused, and changes nothing.
import { expect, it } from "vitest"
import { eventsOf } from "../support/session/session-harness.ts"
import { promptFor } from "../support/session/scripts.ts"
import { BYPASS, DONE, loop } from "../support/session/loop.ts"
import type { SessionOptions } from "../../src/schemas/sdk/options/options.ts"

const { harnessOf, scripted } = loop()

const submitted = (session: SessionOptions, options: SessionOptions) => {
  const { session: core, idle, log } = harnessOf({ ...BYPASS, ...session }).boot()
  const turn = crypto.randomUUID()
  const prompt = promptFor(scripted([DONE]))
  const answer = core.prompts.submit({ turn, prompt, onBusy: "queue", options, fingerprint: "" })
  return { answer, idle, names: () => eventsOf(log).map(({ name }) => name) }
}

it.each<[string, SessionOptions, SessionOptions]>([
  ["workspace_limits", {}, { workspace_limits: { files: 1 } }],
  ["workspace_limits", { workspace_limits: { files: 2, bytes: 10 } }, { workspace_limits: { files: 2 } }],
  ["persistSession", {}, { persistSession: false }],
  ["persistSession", { persistSession: false }, { persistSession: true }],
])("a prompt with another %s than its session's %j is refused: %j", (name, session, options) => {
  const { answer, names } = submitted(session, options)
  expect(answer).toMatchObject({ refused: { type: "conflict_error", field: `options.${name}` } })
  expect(names()).not.toContain("turn:queued")
})

it.each<[SessionOptions, SessionOptions]>([
  [{}, { workspace_limits: {}, persistSession: true }],
  [
    { workspace_limits: { files: 2, bytes: 10 }, persistSession: false },
    { workspace_limits: { bytes: 10, files: 2 }, persistSession: false },
  ],
])("a prompt of a session with %j may repeat them: %j", async (session, options) => {
  const { answer, idle } = submitted(session, options)
  expect(answer).not.toHaveProperty("refused")
  await idle()
})
