// Receives a prompt for an open session; returns its outcome.
// Invariants: nothing of the prompt's turn happens between its event and `use`; a prompt that is refused interrupts no other.
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
    core.releaseUnused()
    return isRefusal(resumed) ? resumed : use(resumed)
  }
  const { inbox, prompts } = core
  if (args.onBusy === "interrupt" && inbox.find(args.turn) === undefined) {
    // A prompt that is refused stops nothing.
    const refused = prompts.refusal(args, inbox.open.length - 1)
    if (refused !== undefined) {
      core.releaseUnused()
      return refused
    }
    await runner.stop()
  }
  const asked = core.admit()
  const refused = asked instanceof Promise ? await asked : asked
  if (refused !== null) return refused
  authorizations.origin = args.origin ?? authorizations.origin
  const submitted = prompts.submit(args)
  core.releaseUnused()
  return isRefusal(submitted) ? submitted : use(submitted)
}
