// The progress of an agent's turn whose session can't run it.
import { describe, expect, it } from "vitest"
import type { SessionNamespace } from "../../../src/schemas/env.ts"
import { refused } from "../../../src/schemas/errors/rpc-error.ts"
import { SessionTurns } from "../../../src/signals/runs/agent-turns.ts"
import { newRun } from "../../../src/signals/runs/run-report.ts"
import type { TurnRow } from "../../../src/signals/runs/run-record.ts"

const ACTOR = { key: "", roles: [], bypass: false, files: false, generation: 0, expires: null, checked: 0 }
const RUN = newRun(
  "acme",
  "run-1",
  { workflow: "w", input: {}, options: {}, harness: "session", sessions: "turn", onEmpty: "end", actor: ACTOR },
  0,
)
const ROW: TurnRow = {
  seq: 1,
  agent: "worker",
  session: "s",
  turn: "t",
  prompt: "go",
  status: "running",
  usd: null,
  startedAt: 0,
}

/** The progress of a turn whose session refuses it with this error. */
const refusedWith = (type: "rate_limit_error" | "permission_error", more: { readonly retry_after?: number } = {}) => {
  const stub = { turn: async () => refused(type, "The tenant has 5 sessions.", more) }
  const sessions = { getByName: () => stub } as unknown as SessionNamespace // the one method that is called
  return new SessionTurns(sessions).poll(RUN, ROW)
}

describe("an agent's turn that its session refuses", () => {
  it("is tried again with the reason when a limit was reached", async () => {
    const reason = "The tenant has 5 sessions."
    expect(await refusedWith("rate_limit_error")).toEqual({ tag: "later", afterMs: 5000, reason })
    expect(await refusedWith("rate_limit_error", { retry_after: 2 })).toEqual({ tag: "later", afterMs: 2000, reason })
  })

  it("fails for any other reason", async () => {
    const message = "its session refused the turn: The tenant has 5 sessions."
    expect(await refusedWith("permission_error")).toEqual({ tag: "refused", message })
  })
})
