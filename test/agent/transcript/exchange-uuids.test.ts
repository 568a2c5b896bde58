import { expect, it } from "vitest"
import { ExchangeUuids } from "../../../src/agent/transcript/exchange-uuids.ts"

/** Exchanges of two messages each: "a1" and "p1", and so on. */
const exchanges = (count: number): ExchangeUuids => {
  const uuids = new ExchangeUuids()
  uuids.add("p0")
  for (let n = 1; n <= count; n += 1) {
    uuids.begin()
    uuids.add(`a${n}`)
    uuids.add(`p${n}`)
  }
  return uuids
}

it("the uuids of the last exchanges are known, but not those before the first answer", () => {
  const uuids = exchanges(3)
  expect(uuids.last(1)).toEqual(["a3", "p3"])
  expect(uuids.last(3)).toEqual(["a1", "p1", "a2", "p2", "a3", "p3"])
  expect(uuids.last(4)).toBeNull()
  expect(uuids.last(0)).toBeNull()
})

it("old exchanges are forgotten as a whole, and the last one never", () => {
  expect(exchanges(500).last(60)).toHaveLength(120)
  expect(exchanges(500).last(80)).toBeNull()
  const uuids = exchanges(2)
  for (let n = 0; n < 500; n += 1) uuids.add(`r${n}`)
  expect(uuids.last(1)).toHaveLength(502)
  uuids.begin()
  expect(uuids.last(2)).toBeNull()
})

it("are stored, also in the form of rows that have only the last exchange", () => {
  expect(ExchangeUuids.of(exchanges(3).save()).last(3)).toEqual(exchanges(3).last(3))
  const earlier = ExchangeUuids.of({ tail: ["a3", "p3"] })
  expect(earlier.last(1)).toEqual(["a3", "p3"])
  expect(earlier.last(2)).toBeNull()
  expect(ExchangeUuids.of(new ExchangeUuids().save()).last(1)).toBeNull()
})

it("a withdrawn answer leaves no uuids", () => {
  const uuids = exchanges(2)
  uuids.withdraw()
  uuids.add("next")
  expect(uuids.last(1)).toEqual(["a1", "p1", "next"])
})
