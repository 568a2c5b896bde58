// Prompts that interrupt: a refused one leaves the running turn alone.
import { expect, it } from "vitest"
import { busySessions } from "../../behaviour/prompts/busy-sessions.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { DONE, loop } from "../../support/session/loop.ts"
import type { SubmitArgs } from "../../../src/schemas/rpc/turns.ts"
import { submitPrompt } from "../../../src/session/prompts/submit-prompt.ts"

const made = loop()
const { inMidTool } = busySessions(made)

const interrupting = (more: Partial<SubmitArgs> = {}): SubmitArgs => ({
  turn: crypto.randomUUID(),
  prompt: promptFor(made.scripted([DONE])),
  onBusy: "interrupt",
  options: {},
  fingerprint: "",
  ...more,
})

it("a prompt that is not permitted does not end the running turn", async () => {
  const { open, session, turn, release, idle } = await inMidTool()
  const answer = await submitPrompt(open, interrupting({ options: { runtime: { mode: "record" } } }), (made) => made)
  expect(answer).toMatchObject({ refused: { type: "conflict_error", field: "options.runtime" } })
  expect(session.turns.status(turn)).toMatchObject({ status: "running" })
  release()
  await idle()
  expect(session.turns.status(turn)).toMatchObject({ status: "completed" })
})
