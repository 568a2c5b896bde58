// Adapters, which observe the signals of a run: a terminal or a log, for example.
// Invariant: `process` has no error type, and a defect in an adapter never affects the run.
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

/** Returns the text for a signal, with colours if the output supports them; null for a signal that is not shown. */
export type Renderer<T = never> = (signal: Signal<T>, paint: Paint) => string | null

/** Renderers by the name of the signal; a signal without one is not shown. */
export type RendererMap = Readonly<Record<string, Renderer>>
