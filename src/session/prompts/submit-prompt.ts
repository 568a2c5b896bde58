// Receives a prompt for a session that is open; returns what became of it.
// Invariant: between the prompt's event and `use` nothing of its turn happens.
import type { SubmitArgs, Submitted } from "../../schemas/rpc/turns.ts"
import type { OpenSession } from "../open-session.ts"
import { isRefusal, type Refusal } from "../refusal.ts"

export const submitPrompt = async <A>(
  { authorizations, core, runner }: OpenSession,
  args: SubmitArgs,
  use: (submitted: Submitted) => A,
): Promise<A | Refusal> => {
  if (args.run?.results !== undefined) {
    const resumed = core.runningTurn.runs.resume(args, args.run)
    return isRefusal(resumed) ? resumed : use(resumed)
  }
  if (args.onBusy === "interrupt" && core.inbox.find(args.turn) === undefined) await runner.stop()
  const asked = core.admit()
  const refused = asked instanceof Promise ? await asked : asked
  if (refused !== null) return refused
  authorizations.origin = args.origin ?? authorizations.origin
  const submitted = core.prompts.submit(args)
  core.releaseUnused()
  return isRefusal(submitted) ? submitted : use(submitted)
}
