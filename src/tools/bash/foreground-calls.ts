// Calls that their turn waits for and that could go on in the background: commands of the shell, and subagents.
// Invariant: a call that was asked to leave goes on exactly once: its own process lets it, when nothing is lost by that.
import type { ForegroundCall, LeavingCall } from "./background-port.ts"

interface Waiting extends ForegroundCall {
  asked: boolean
  readonly leave: () => void
}

export class ForegroundCalls {
  readonly #calls = new Map<string, Waiting>()

  /** Enters a call; `ended` takes it out. */
  enter(toolUseId: string, { isBusy }: ForegroundCall): LeavingCall {
    const { promise, resolve } = Promise.withResolvers<void>()
    const call: Waiting = { isBusy, asked: false, leave: resolve }
    this.#calls.set(toolUseId, call)
    return {
      left: promise,
      isAsked: () => call.asked,
      ended: () => {
        if (this.#calls.get(toolUseId) === call) this.#calls.delete(toolUseId)
      },
    }
  }

  /** Sends the call to the background, or all of them; false for a call that no turn waits for. */
  leave(toolUseId: string | undefined): boolean {
    const chosen =
      toolUseId === undefined
        ? [...this.#calls.values()]
        : [this.#calls.get(toolUseId)].filter((call) => call !== undefined)
    for (const call of chosen) {
      call.asked = true
      if (!call.isBusy()) call.leave()
    }
    return toolUseId === undefined || chosen.length > 0
  }
}
