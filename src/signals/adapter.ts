// Adapters: what observes the signals of a run, such as a terminal or a log.
// Invariant: an adapter can't fail, and what breaks in one never reaches the run.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Signal } from "../schemas/signal.ts"
import type { Paint } from "./adapters/paint.ts"

/** Observes the signals of a run. */
export class AdapterService extends Context.Service<
  AdapterService,
  {
    /** Receives every signal of the run, in order. */
    process(signal: Signal): Effect.Effect<void>
  }
>()("perch/signals/adapter") {}

/** Text for a signal, coloured where the terminal has colours; null shows nothing. */
export type Renderer<T = never> = (signal: Signal<T>, paint: Paint) => string | null

/** Renderers by the name of the signal; a signal without one is not shown. */
export type RendererMap = Readonly<Record<string, Renderer>>
