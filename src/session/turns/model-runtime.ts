// Receives the settings; returns the runtime that a session's turns run in, with the model that answers them.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scheduler from "effect/Scheduler"
import { liveModel } from "../../model/live/live-model.ts"
import type { MediaBytes } from "../../model/request/media-body.ts"
import { MessagesApi } from "../../model/messages-api.ts"
import { offlineMessages, offlineModel } from "../../model/offline/offline-model.ts"
import { type Env, isOffline } from "../../schemas/env.ts"
import type { RunRuntime } from "../../schemas/runs/run-runtime.ts"

type ModelEnv = Pick<Env, "ANTHROPIC_API_KEY" | "ANTHROPIC_BASE_URL">

/** Provides the built-in model to a turn of a run whose runtime is `offline`; every other turn uses the session's model. */
export const answeredBy = <A, E, R>(
  runtime: RunRuntime | undefined,
  turn: Effect.Effect<A, E, R | MessagesApi>,
): Effect.Effect<A, E, R | MessagesApi> =>
  runtime === "offline" ? Effect.provideService(turn, MessagesApi, offlineMessages) : turn

export const modelRuntime = (env: ModelEnv, media: MediaBytes): ManagedRuntime.ManagedRuntime<MessagesApi, never> => {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl } = env
  const live = () => liveModel({ ...(apiKey ? { apiKey } : {}), ...(baseUrl ? { baseUrl } : {}) }, media)
  // No timers between steps: in a Durable Object each one costs more than a millisecond.
  const scheduler = Layer.succeed(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))
  return ManagedRuntime.make(
    Layer.mergeAll(isOffline(env) ? offlineModel : live(), scheduler, Logger.layer([Logger.consoleJson])),
  )
}
