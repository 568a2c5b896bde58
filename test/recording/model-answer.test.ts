import { expect, it } from "vitest"
import { ModelError } from "../../src/model/messages-api.ts"
import { errorFields, modelAnswerOf, modelErrorOf } from "../../src/recording/model-answer.ts"

it.each([{}, { shouldRetry: false }, { shouldRetry: true, timedOut: "idle" as const }])(
  "a failed request with %j is recorded and read back unchanged",
  (more) => {
    const fields = { status: 529, type: "overloaded_error", message: "busy", requestId: "req_1", retryAfterMs: 5 }
    const error = new ModelError({ ...fields, midStream: false, ...more })
    const { error: recorded } = modelAnswerOf(
      JSON.parse(JSON.stringify({ request_id: null, error: errorFields(error) })),
    )
    expect(recorded === undefined ? undefined : modelErrorOf(recorded)).toEqual(error)
    expect(recorded).toMatchObject(more)
  },
)
