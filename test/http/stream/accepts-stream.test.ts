import { expect, it } from "vitest"
import { acceptsStream } from "../../../src/http/stream/accepts-stream.ts"

it.each([
  ["text/event-stream", true],
  ["Text/Event-Stream; charset=utf-8", true],
  ["text/event-stream, */*", true],
  ["text/event-stream, application/json", true],
  ["application/json;q=0.5, text/event-stream", true],
  ["text/event-stream;q=0.1", true],
  ["application/json, text/event-stream", false],
  ["text/event-stream;q=0.5, application/json", false],
  ["text/event-stream;q=0", false],
  ["application/json", false],
  ["*/*", false],
  ["", false],
  [null, false],
])("Accept: %s asks for a stream: %s", (accept, stream) => {
  expect(acceptsStream(accept)).toBe(stream)
})
