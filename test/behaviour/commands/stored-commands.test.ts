// A tenant's stored commands, in the turns of its sessions.
import { Effect } from "effect"
import { expect, it } from "vitest"
import { ALL_RIGHTS } from "../../support/values/actors.ts"
import { putDefinition } from "../../../src/store/definitions.ts"
import { DONE, loop, payloadsOf, textOf } from "../../support/session/loop.ts"
import { eventsOf } from "../../support/session/session-harness.ts"

const { harnessOf, scripted, messagesSent } = loop()

it("a stored command is listed and can be called in every session of its tenant", async () => {
  const harness = harnessOf()
  const { session, idle, log } = harness.boot()
  const written = await Effect.runPromise(
    putDefinition(harness.database.d1, {
      tenant: "test",
      kind: "command",
      name: "explain",
      value: { template: "[[script:$1]] Explain $2" },
      sealed: null,
      at: 1,
    }),
  )
  const definitions = "version" in written ? written.version : 0
  const script = scripted([DONE])
  const prompt = `/explain ${script} tides`
  const about = { turn: crypto.randomUUID(), onBusy: "queue" as const, options: {}, fingerprint: prompt }
  session.prompts.submit({ ...about, prompt, actor: { ...ALL_RIGHTS, definitions } })
  await idle()
  expect(payloadsOf(eventsOf(log), "sdk:system/init")[0]?.["slash_commands"]).toContain("explain")
  expect(textOf(messagesSent(script)[0]?.[0])).toMatch(/Explain tides$/)
})
