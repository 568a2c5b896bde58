// A prompt that is too long for the model: its session continues.
import { expect, it } from "vitest"
import { DONE, loop, payloadsOf, textOf } from "../../support/session/loop.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, messagesSent, scripted } = loop()
const TOO_LONG = { error: { status: 400, type: "invalid_request_error", message: "prompt is too long: 210000 tokens" } }

it("ends its turn with the error, and /clear continues without it", async () => {
  const opened = await connected()
  const script = scripted([TOO_LONG])
  const fresh = scripted([DONE])
  const ids: Array<string> = []
  for (const words of [promptFor(script), "/clear", promptFor(fresh)]) {
    ids.push(prompt(opened.session, words))
    await opened.idle()
  }
  const events = eventsOf(opened.log)
  expect(problemsOf(events, ids)).toEqual([])
  expect(payloadsOf(events, "sdk:result/success")).toMatchObject([
    { is_error: true, terminal_reason: "prompt_too_long", result: expect.stringContaining("Prompt is too long") },
    { local_command: "clear" },
    { is_error: false, result: "Done." },
  ])
  expect(messagesSent(fresh)[0]?.map(textOf)).toEqual([promptFor(fresh)])
})
