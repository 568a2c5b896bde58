// Long lines of the control protocol: reassembled up to a limit, rejected beyond it.
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { LineBuffer, MAX_UNFINISHED, parseFrame, REST_MS } from "../../../src/session/feed/lines.ts"
import { PROMPT_BODY } from "../../../src/schemas/api/prompt-size.ts"

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const closable = () => {
  const closed: Array<number> = []
  // The only member of a socket that is used here.
  const socket = { close: (code: number) => void closed.push(code) } as unknown as WebSocket
  return { socket, closed }
}

it("a complete line that is too long is rejected with that reason, and its socket stays open", () => {
  const { socket, closed } = closable()
  const lines = new LineBuffer()
  const text = "x".repeat(PROMPT_BODY)
  const frame = { type: "user", message: { role: "user", content: [{ type: "text", text }] } }
  const [long, next] = lines.take(socket, `${JSON.stringify(frame)}\n{"type":"keep_alive"}\n`)
  const problem = expect.stringContaining("has more than 20971520 characters")
  expect(parseFrame(long!)).toMatchObject({ frame: { type: "user" }, problem })
  expect(parseFrame(next!)).toEqual({ frame: { type: "keep_alive" } })
  expect(closed).toEqual([])
})

it("a line that is refused for its content has the id that an accepted one would have", () => {
  const [accepted, refused] = ["", ',"type":"control_request"'].map((more) =>
    parseFrame(`{"type":"control_request","request_id":"\\udfff"${more}}`),
  )
  expect(accepted).toEqual({ frame: { type: "control_request", request_id: "\ufffd" } })
  expect(refused).toMatchObject({ ...accepted, problem: expect.stringContaining("type twice") })
})

it("a line whose rest has not arrived keeps a timer pending, so that its object does not hibernate and lose it", () => {
  const { socket, closed } = closable()
  const lines = new LineBuffer()
  lines.take(socket, '{"type":')
  vi.advanceTimersByTime(REST_MS - 1)
  lines.take(socket, '"keep_alive"')
  vi.advanceTimersByTime(REST_MS - 1)
  expect(vi.getTimerCount()).toBe(1)
  expect(lines.take(socket, "}\n")).toEqual(['{"type":"keep_alive"}'])
  expect(vi.getTimerCount()).toBe(0)
  expect(closed).toEqual([])
})

it("blanks after a line are no unfinished line", () => {
  const { socket } = closable()
  expect(new LineBuffer().take(socket, '{"type":"keep_alive"}\r\n \t')).toEqual(['{"type":"keep_alive"}\r'])
  expect(vi.getTimerCount()).toBe(0)
})

it("a line whose rest does not arrive within a minute closes its socket", () => {
  const { socket, closed } = closable()
  const lines = new LineBuffer()
  lines.take(socket, '{"type":')
  vi.advanceTimersByTime(REST_MS)
  expect(closed).toEqual([1013])
  expect(vi.getTimerCount()).toBe(0)
})

it("a line without an end closes its socket when it is too long", () => {
  const { socket, closed } = closable()
  const lines = new LineBuffer()
  expect(lines.take(socket, "x".repeat(PROMPT_BODY))).toEqual([])
  expect(closed).toEqual([])
  expect(lines.take(socket, "y")).toEqual([])
  expect(closed).toEqual([1009])
})

it("lines without an end close their sockets, the one that began first, before all of them hold too much together", () => {
  const lines = new LineBuffer()
  const part = "x".repeat(PROMPT_BODY / 2)
  const sockets = Array.from({ length: MAX_UNFINISHED / part.length }, closable)
  for (const { socket } of sockets) lines.take(socket, part)
  const [first, second, third] = sockets as [
    ReturnType<typeof closable>,
    ReturnType<typeof closable>,
    ReturnType<typeof closable>,
  ]
  // A line that has ended, and a socket that has closed, hold nothing.
  expect(lines.take(first.socket, "\n")).toEqual([part])
  lines.drop(second.socket)
  const more = [closable(), closable(), closable()]
  for (const { socket } of more) lines.take(socket, part)
  expect([...sockets, ...more].map(({ closed }) => closed)).toEqual([[], [], [1013], [], [], [], []])
  expect(lines.take(third.socket, "y\n")).toEqual(["y"])
  expect(lines.take(more[0]!.socket, "z\n")).toEqual([`${part}z`])
})
