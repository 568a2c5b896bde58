// The calls that their turn waits for and that clients can stop, or move to the background: shell commands and subagents.
// Invariant: a call that was asked to move continues exactly once: it moves itself, at a point where nothing is lost.
import type { ForegroundCall, LeavingCall } from "./background-port.ts"

interface Waiting extends ForegroundCall {
  asked: boolean
  readonly leave: () => void
  readonly stop: () => Promise<void>
}

export class ForegroundCalls {
  readonly #calls = new Map<string, Waiting>()

  /** Registers a call; `ended` unregisters it. */
  enter(toolUseId: string, given: ForegroundCall): LeavingCall {
    const [left, stopped, over] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ]
    const stop = () => {
      stopped.resolve()
      return over.promise
    }
    const call: Waiting = { ...given, asked: false, leave: left.resolve, stop }
    this.#calls.set(toolUseId, call)
    return {
      left: left.promise,
      stopped: stopped.promise,
      isAsked: () => call.asked,
      ended: () => {
        if (this.#calls.get(toolUseId) === call) this.#calls.delete(toolUseId)
        over.resolve()
      },
    }
  }

  /** True if some of the calls are registered, and all of those are commands. */
  onlyCommands(calls: ReadonlyArray<{ readonly id: string; readonly name: string }>): boolean {
    const running = calls.filter(({ id }) => this.#calls.has(id))
    return running.length > 0 && running.every(({ name }) => name === "Bash")
  }

  /** Stops the call that is shown as this task, and resolves when it has ended; undefined when no such call runs. */
  stop(taskId: string): Promise<void> | undefined {
    return [...this.#calls.values()].find((one) => one.taskId() === taskId)?.stop()
  }

  /** Asks a call, or without an id all calls, to move to the background; false for a call that no turn waits for. */
  leave(toolUseId: string | undefined): boolean {
    const chosen = [...this.#calls].flatMap(([id, call]) => (call.canLeave && (toolUseId ?? id) === id ? [call] : []))
    for (const call of chosen) {
      call.asked = true
      if (!call.isBusy()) call.leave()
    }
    return toolUseId === undefined || chosen.length > 0
  }
}
