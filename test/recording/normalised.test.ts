// What two sessions with the same requests have in common: the requests without ids, dates, times and durations.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normalised } from "../../src/recording/normalised.ts"

const UUID = "0199a000-0000-7000-8000-00000000abcd"
const OTHER = "7B1C6E0A-1111-4222-8333-444455556666"

describe("a request is written", () => {
  it.each([
    ["2026-11-23T13:24:45.123Z", "{time}"],
    ["on 2026-11-23, at 13:24:45", "on {time}, at {time}"],
    ["2026-11-23 13:24 +02:00", "{time}"],
    ["Mon Nov 23 13:24:45 UTC 2026", "{time}"],
    ["Mon, 23 Nov 2026 13:24:45 GMT", "{time}"],
    ["November 23, 2026", "{time}"],
    ["-rw-r--r-- 1 user user 4 Nov 23 13:24 a.txt", "-rw-r--r-- 1 user user 4 {time} a.txt"],
    [JSON.stringify("a\n2026-11-23"), JSON.stringify("a\n{time}")],
    ['{"at":1795440285123}', '{"at":0}'],
    ['{"at":1795440285.5}', '{"at":0}'],
    ['{"duration_ms":12.5,"apiMs":3}', '{"duration_ms":0,"apiMs":3}'],
    ['{"durationSeconds":0.0063,"duration":7}', '{"durationSeconds":0,"duration":7}'],
    [JSON.stringify('{"elapsedMs": 12}'), JSON.stringify('{"elapsedMs": 0}')],
    [`${UUID} ${OTHER} ${UUID.toUpperCase()}`, "{uuid 1} {uuid 2} {uuid 1}"],
    [`/tmp/${UUID}.txt`, "/tmp/{uuid 1}.txt"],
  ])("%s without its times and ids", (text, expected) => {
    expect(normalised(text)).toBe(expected)
  })

  it.each([
    "1.2.3",
    "12:30",
    "17954402851234",
    "a1795440285",
    "x2026-11-23y",
    "version 2026-11-234",
    "0199a000-0000-7000-8000",
    "March of 3 people",
    "12 monkeys",
    "1:2",
  ])("%s as it is", (text) => {
    expect(normalised(text)).toBe(text)
  })

  it("with the same UUID for all, if their order has no meaning", () => {
    expect(normalised(`${UUID} ${OTHER}`, "same")).toBe("{uuid} {uuid}")
  })

  it("as JSON if it was JSON", () => {
    const bits = fc.constantFrom(
      "2026-11-23",
      "T10:11:12Z",
      "1795440285",
      UUID,
      "\n",
      "x",
      " ",
      '"',
      "Jan 5",
      "12:00:00",
    )
    const value = fc.array(fc.oneof(bits, fc.string(), fc.integer()))
    const property = fc.property(value, (parts) => {
      const once = normalised(JSON.stringify({ parts, text: parts.join("") }))
      expect(() => JSON.parse(once) as unknown).not.toThrow()
    })
    fc.assert(property, { numRuns: 300 })
  })
})
