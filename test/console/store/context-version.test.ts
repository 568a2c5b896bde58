// When the context of a session is counted again.
import { expect, it } from "vitest"
import type { Session } from "../../../src/client/api/session-shapes.ts"
import { contextVersion } from "../../../src/console/store/context-version.ts"

it("changes with a turn, the model and a revert, and with nothing else", () => {
  const session = { turns: 1, model: "one", last_seq: 5, total_cost_usd: 1 } as Session // the fields that matter
  const version = contextVersion(session)
  expect(contextVersion({ ...session, last_seq: 9, total_cost_usd: 2 })).toBe(version)
  const changes = [{ turns: 2 }, { model: "two" }, { revert: { messageID: "m" } }]
  const versions = changes.map((change) => contextVersion({ ...session, ...change }))
  expect(new Set([version, contextVersion(null), ...versions]).size).toBe(5)
})
