// The model and the fetch of a session, recorded or played back.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { MessagesApi } from "../../model/messages-api.ts"
import type { GuardedFetch } from "../../net/guarded-fetch.ts"
import { fetchForm, fetchRequest } from "../../recording/forms.ts"
import type { SessionCapture } from "./session-capture.ts"

type Runtime = ManagedRuntime.ManagedRuntime<MessagesApi, never>

export const capturedRuntime = (runtime: Runtime, capture: Pick<SessionCapture, "models">): Runtime =>
  ManagedRuntime.make(
    Layer.effectContext(
      Effect.map(runtime.contextEffect, (context) =>
        Context.add(context, MessagesApi, capture.models(Context.get(context, MessagesApi))),
      ),
    ),
  )

export const capturedFetch =
  (fetch: GuardedFetch, { exchange }: Pick<SessionCapture, "exchange">): GuardedFetch =>
  (url, order) =>
    exchange("tool", fetchRequest(url, order), fetchForm, fetch(url, order))
