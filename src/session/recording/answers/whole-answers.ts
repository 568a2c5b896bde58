// Holds back the blocks of an answer that is played until its end comes, so that they are written together.
// Invariant: a process that dies during a playback leaves no answer half written: the next one continues, and the log is the
// same.
import * as Effect from "effect/Effect"
import type { Log } from "../../../agent/ports.ts"
import { EventNames, type NewEvent } from "../../../schemas/log/events.ts"
import { answerOf } from "./answer-ids.ts"

export class WholeAnswers {
  /** The events of answers that are being played, by the answer's id. */
  readonly #unloggedEvents = new Map<string, Array<NewEvent>>()

  /** Call it when an answer starts to play that comes with its end. */
  begin(id: string): void {
    this.#unloggedEvents.set(id, [])
  }

  log(port: Log["Service"]): Log["Service"] {
    return {
      ...port,
      append: (events, change) =>
        Effect.suspend(() => {
          const ended = events.flatMap((event) =>
            event.name === EventNames.callFinished ? this.#end(event.payload.message_id) : [],
          )
          if (ended.length > 0) return port.append([...ended, ...events], change)
          const own = change === undefined ? events.map(answerOf).find((id) => id !== undefined) : undefined
          const unlogged = own === undefined ? undefined : this.#unloggedEvents.get(own)
          if (unlogged === undefined) return port.append(events, change)
          unlogged.push(...events)
          return Effect.void
        }),
    }
  }

  #end(id: string): ReadonlyArray<NewEvent> {
    const unlogged = this.#unloggedEvents.get(id) ?? []
    this.#unloggedEvents.delete(id)
    return unlogged
  }
}
