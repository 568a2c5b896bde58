// The stream reader against the HTML standard's own examples, for every split of the bytes into chunks.
import fc from "fast-check"
import { expect, it } from "vitest"
import { EventDecoder, type StreamItem } from "../../../src/client/api/server-sent-events.ts"

const whole = (text: string, cuts: ReadonlyArray<number> = []): ReadonlyArray<StreamItem> => {
  const bytes = new TextEncoder().encode(text)
  const decoder = new EventDecoder()
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).flatMap((end, index) => decoder.push(bytes.slice(places[index], end)))
}

const event = (data: string, more: { id?: string; event?: string } = {}): StreamItem => ({
  kind: "event",
  event: { id: undefined, event: "message", data, ...more },
})

it.each<readonly [string, ReadonlyArray<StreamItem>]>([
  ["data: a\n\n", [event("a")]],
  ["data:a\ndata: b\n\n", [event("a\nb")]],
  ["id: 7\ndata: a\n\ndata: b\n\n", [event("a", { id: "7" }), event("b")]],
  ["event: x\ndata: a\n\n", [event("a", { event: "x" })]],
  [": ping\n\n", [{ kind: "comment" }]],
  ["retry: 500\n\n", [{ kind: "retry", ms: 500 }]],
  ["retry: soon\nid\n\n", []],
  ["data\n\ndata: \n\n", [event(""), event("")]],
  ["data: a\r\rdata: b\r\n\r\n", [event("a"), event("b")]],
  ["data:  two\n\n", [event(" two")]],
  ["data: cut", []],
  ["data: ü😀 \u2028\n\n", [event("ü😀 \u2028")]],
])("%j", (text, items) => {
  expect(whole(text)).toEqual(items)
})

it("returns the same events however the bytes are split", () => {
  const text = ': hi\r\nid: 1\r\ndata: {"a":"ü😀"}\r\n\r\n: x\n\nid: 2\ndata: b\ndata: c\n\nretry: 10\ndata: d\r\r'
  const items = whole(text)
  expect(items.filter(({ kind }) => kind === "event")).toHaveLength(3)
  fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 12 }), (cuts) => void expect(whole(text, cuts)).toEqual(items)))
})
