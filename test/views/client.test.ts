// The frames of the official browser SDK's stream.
import { describe, expect, it } from "vitest"
import type { FeedLine } from "../../src/schemas/log/feed-line.ts"
import { clientView } from "../../src/views/client.ts"

const line = (more: Partial<FeedLine>): FeedLine => ({
  seq: null,
  at: Date.UTC(2026, 0, 31, 12),
  turn: "t",
  name: "sdk:assistant",
  json: '{"type":"assistant","uuid":"u1","n":1e3}',
  ...more,
})

describe("the client's view", () => {
  it("a durable message has its seq as number and its uuid as name; its payload is passed through byte for byte", () => {
    expect(clientView(line({ seq: 7 }))).toEqual([
      {
        id: 7,
        event: "client_event",
        data:
          '{"event_id":"u1","sequence_num":7,"source":"worker","created_at":"2026-01-31T12:00:00.000Z",' +
          '"payload":{"type":"assistant","uuid":"u1","n":1e3}}',
      },
    ])
    expect(clientView(line({ seq: 8, json: '{"type":"x"}' }))[0]?.data).toContain('"event_id":"8"')
  })

  it("a control frame has no number, whatever its type", () => {
    const json = '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool"}}'
    const [frame] = clientView(line({ name: "control:frame", json }))
    expect(frame).toEqual({ id: null, event: "client_event", data: `{"source":"worker","payload":${json}}` })
  })

  it.each(["sdk:stream_event", "sdk:system/thinking_tokens", "sdk:system/commands_changed", "sdk:sources_changed"])(
    "%s is ephemeral",
    (name) => {
      expect(clientView(line({ name }))).toMatchObject([{ id: null, event: "ephemeral_event" }])
    },
  )

  it.each(["sdk:system/status", "sdk:tool_progress"])(
    "%s, which the client does not treat as ephemeral, has no number",
    (name) => {
      expect(clientView(line({ name }))).toMatchObject([{ id: null, event: "client_event" }])
    },
  )

  it.each(["turn:queued", "call:finished", "ask:opened", "sdk:keep_alive"])("%s is not sent", (name) => {
    expect(clientView(line({ name, seq: 9 }))).toEqual([])
  })
})
