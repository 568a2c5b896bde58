// Receives a harness; returns the service that runs agents' turns with it.
// Invariant: a turn is one request to the harness, and the pieces of its answer are observed as they arrive.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import { type Emitted, MAX_PAYLOAD_BYTES, signalFault } from "../schemas/signal.ts"
import { type AgentService, Observer } from "./agent.ts"
import { agentPrompt, parseAgentResponse } from "./agent-answer.ts"
import { AgentError } from "./errors.ts"
import type { HarnessService } from "./harness.ts"

type Harness = HarnessService["Service"]

/** Runs turns with a harness. `named` are the harnesses that agents can choose with `harness`. */
export const makeAgentService = (
  harness: Harness,
  named: Readonly<Record<string, Harness>> = {},
): AgentService["Service"] => ({
  run: Effect.fnUntraced(function* (prompt, _signal, agent): Effect.fn.Return<
    ReadonlyArray<Emitted>,
    AgentError | RecordingNotFound
  > {
    const chosen = agent.harness === undefined ? harness : named[agent.harness]
    const fail = (message: string, cause?: unknown) =>
      new AgentError({ agent: agent.name, message, ...(cause === undefined ? {} : { cause }) })
    if (chosen === undefined) {
      return yield* fail(`${agent.name} needs the harness ${agent.harness}, which the run does not have.`)
    }
    if ((agent.tools?.length ?? 0) > 0) {
      return yield* fail(
        `${agent.name} has tools, but only durable runs support tools. Leave them out, or use a durable run.`,
      )
    }
    const source = agent.harness === undefined ? {} : { source: { harness: agent.harness } }
    const outside = yield* Observer
    const observe = (name: string, payload: Readonly<Record<string, string | number | boolean>>) =>
      outside({ name, payload, ...source })

    const bounded = (name: string, payload: Readonly<Record<string, string>>) => {
      const fault = signalFault(name, payload)
      return fault === null ? Effect.void : fail(fault)
    }

    const input = agentPrompt(prompt, agent)
    yield* bounded("harness:start", { input })
    const start = yield* Clock.currentTimeMillis
    yield* observe("harness:start", { input })
    let output = ""
    const failed = (error: { readonly message: string }) =>
      Effect.andThen(
        observe("harness:error", { message: error.message, recoverable: false }),
        fail(`The model of ${agent.name} failed: ${error.message}`, error),
      )
    const pieces = Stream.suspend(() => chosen.stream(input, agent.model === undefined ? {} : { model: agent.model }))
    yield* pieces.pipe(
      Stream.runForEach((content): Effect.Effect<void, AgentError | RecordingNotFound> => {
        if (typeof content !== "string") return fail(`The model of ${agent.name} returned a part that is not text.`)
        output += content
        if (output.length > MAX_PAYLOAD_BYTES) return bounded("harness:end", { output })
        return content === "" ? Effect.void : observe("text:delta", { content })
      }),
      Effect.catchTag("HarnessError", failed),
      // A custom harness may throw: that counts as a failure of the model, too.
      Effect.catchDefect((defect) => failed(defect instanceof Error ? defect : new Error(String(defect)))),
    )
    yield* bounded("harness:end", { output })
    yield* observe("text:complete", { text: output })
    yield* observe("harness:end", { output, durationMs: (yield* Clock.currentTimeMillis) - start })
    return yield* parseAgentResponse(output, agent)
  }),
})
