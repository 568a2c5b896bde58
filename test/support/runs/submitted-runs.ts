// Submits runs to a session, like the object's method, and folds their results, like the Worker.
import { randomUUID } from "node:crypto"
import type { EmbeddedRunResult } from "../../../src/schemas/runs/run-result.ts"
import type { AgentRunStatus, RunSubmission, Submitted } from "../../../src/schemas/rpc/turns.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { submitPrompt } from "../../../src/session/prompts/submit-prompt.ts"
import { isRefusal, type Refusal } from "../../../src/session/refusal.ts"
import { RunFold } from "../../../src/views/run/run-fold.ts"
import { type Booted, eventsOf, SESSION_ID } from "../session/session-harness.ts"

export interface Asked extends Partial<RunSubmission> {
  readonly prompt?: string
  readonly options?: SessionOptions
  /** The uuid by which the session knows the run. */
  readonly turn?: string
}

export const tryRun = async ({ open }: Pick<Booted, "open">, asked: Asked): Promise<Submitted | Refusal> => {
  const { prompt = "", options = {}, turn = randomUUID(), ...run } = asked
  return submitPrompt(
    open,
    {
      turn,
      prompt,
      onBusy: "queue",
      options,
      fingerprint: JSON.stringify(asked),
      run: { run_id: `run-${turn}`, timeout_ms: 60_000, ...run },
    },
    (submitted) => submitted,
  )
}

export const submitRun = async (booted: Pick<Booted, "open">, asked: Asked): Promise<string> => {
  const { turn = randomUUID() } = asked
  const submitted = await tryRun(booted, { ...asked, turn })
  if (isRefusal(submitted)) throw new Error(submitted.refused.message)
  return turn
}

export const runStatusOf = ({ session }: Pick<Booted, "session">, run: string): AgentRunStatus => {
  const status = session.runningTurn.runs.status(run)
  if (isRefusal(status)) throw new Error(status.refused.message)
  return status
}

export const runResultOf = (booted: Pick<Booted, "session" | "log">, run: string): EmbeddedRunResult => {
  const { turn, first_seq: firstSeq, last_seq, turn_seq } = runStatusOf(booted, run)
  const fold = new RunFold({ sessionId: SESSION_ID, turn, firstSeq })
  for (const event of eventsOf(booted.log)) if (event.seq >= turn_seq && event.seq <= (last_seq ?? 0)) fold.apply(event)
  return fold.result()
}
