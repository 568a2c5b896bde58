// CLAUDE.md and related files in a session that was resumed.
import { expect, it } from "vitest"
import { PROJECT, projectSession } from "../../support/session/project-session.ts"
import { loop, payloadsOf } from "../../support/session/loop.ts"

const session = loop()

it("each file fires InstructionsLoaded again in a resumed session, whose model is not sent it again", async () => {
  const { ask, events, session: resumed } = await projectSession(session, { "CLAUDE.md": "@a.md", "a.md": "A" })
  await ask()
  await ask()
  const fired = () =>
    payloadsOf(events(), "hook:fired").flatMap(({ hook_event_name: name, input }) =>
      name === "InstructionsLoaded" ? [(input as { load_reason: string }).load_reason] : [],
    )
  expect(fired()).toEqual(["session_start", "include"])
  resumed.resumption.resume({ options: PROJECT })
  await ask()
  await ask()
  expect(fired()).toEqual(["session_start", "include", "session_start", "include"])
  expect(payloadsOf(events(), "instructions:loaded")).toHaveLength(1)
})
