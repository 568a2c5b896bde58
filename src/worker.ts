// The Worker's entry: HTTP requests, hook events and dead letters from the Queue, and the classes of its Durable Objects.
import * as Effect from "effect/Effect"
import { makeApp } from "./http/app.ts"
import type { Env } from "./schemas/env.ts"
import { consumeHookBatch } from "./store/delivery/consumer.ts"
import { consumeDeadLetters, isDeadLetterQueue } from "./store/delivery/dead-letters.ts"

export { LaneObject } from "./limits/lanes/lane-object.ts"
export { TenantObject } from "./limits/tenant-object.ts"
export { RecordingObject } from "./recording/recording-object.ts"
export { SessionObject } from "./session/session-object.ts"
export { WorkflowObject } from "./signals/runs/workflow-object.ts"
export { WebhookObject } from "./webhooks/webhook-object.ts"

const app = makeApp()

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  queue: (batch, env) =>
    Effect.runPromise(
      isDeadLetterQueue(batch.queue) ? consumeDeadLetters(batch, env, Date.now()) : consumeHookBatch(batch, env),
    ),
} satisfies ExportedHandler<Env>
