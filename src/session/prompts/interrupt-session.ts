// Receives an open session; stops its turn and its background agents, or one turn.
import type { Actor } from "../../schemas/access.ts"
import type { OpenSession } from "../open-session.ts"

export const interruptSession = async ({
  core,
  runner,
}: Pick<OpenSession, "core" | "runner">): Promise<{
  readonly interrupted: boolean
  readonly still_queued: ReadonlyArray<string>
}> => {
  const queued = core.inbox.open.slice(1).map((entry) => entry.turn)
  const { hasAgents } = core.background
  core.background.stopRunning("agents")
  const interrupted = await runner.stop()
  return { interrupted: interrupted || hasAgents, still_queued: queued }
}

/** Stops one turn: the running one, or one that is queued behind it. */
export const stopTurn = async (
  { core, runner }: Pick<OpenSession, "core" | "runner">,
  turn: string,
  actor: Actor | undefined,
): Promise<{ readonly stopped: boolean }> => {
  if (core.inbox.head()?.turn === turn) return { stopped: await runner.stop() }
  return { stopped: core.prompts.cancelQueued(turn, actor).length > 0 }
}
