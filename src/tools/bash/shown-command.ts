// What clients are shown of a command while its turn waits for it: its output so far and, if it runs long, a task. Receives what
// the command prints; also keeps the start of that for the result of a call that moves to the background.
// Invariant: a task that was shown is ended, unless it continues with its command; of the output, at most MAX_CHARACTERS are kept.
import type { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { ToolContext } from "../tool.ts"
import type { ShownTask } from "./background-port.ts"
import { withoutBlankStart } from "./command-outcome.ts"
import { LiveOutput } from "./live-output.ts"

const MAX_CHARACTERS = 30_000

export class ShownCommand {
  readonly #input: BashInput
  readonly #context: ToolContext
  #live: LiveOutput | undefined
  #task: ShownTask | undefined
  #printed = ""

  constructor(input: BashInput, context: ToolContext) {
    this.#input = input
    this.#context = context
    this.#live = context.showPrinted && new LiveOutput(context.showPrinted)
  }

  readonly print = (text: string): void => {
    this.#live?.print(text)
    if (this.#printed.length < MAX_CHARACTERS) this.#printed += text.slice(0, MAX_CHARACTERS - this.#printed.length)
  }

  /** The output so far, without blank lines before it and blanks after it. */
  printed(): string {
    return withoutBlankStart(this.#printed).trimEnd().toWellFormed()
  }

  readonly showTask = (): void => {
    this.#task = this.#context.showTask?.(this.#input.description ?? this.#input.command)
  }

  get taskId(): string | undefined {
    return this.#task?.id
  }

  /** Ends the task, if one is shown. */
  endTask(status: Parameters<ShownTask["end"]>[0]): void {
    this.releaseTask()?.end(status)
  }

  /** Returns the task, if one is shown, without ending it: it continues with its command. */
  releaseTask(): ShownTask | undefined {
    const task = this.#task
    this.#task = undefined
    return task
  }

  /** Shows no more of the command: what it prints in the background is in its file. */
  close(): void {
    this.endTask("failed")
    this.#live?.end()
    this.#live = undefined
  }
}
