// Valid signals: the name, and the size and depth of the payload.
import { describe, expect, it } from "vitest"
import { isObserved, MAX_PAYLOAD_BYTES, payloadCopy, signalFault } from "../../src/schemas/signal.ts"

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])

describe("a signal", () => {
  it.each(["a", "task:completed", "A_b-c.d:1", "x".repeat(64), Array.from({ length: 128 }, () => "a").join(":")])(
    "may have the name %s",
    (name) => expect(signalFault(name, {})).toBeNull(),
  )

  it.each(["", ":", "a:", ":a", "a::b", "a b", "a/b", "é", "*", "x".repeat(65), "abc:".repeat(64) + "a"])(
    "may not have the name %s",
    (name) => expect(signalFault(name, {})).toMatch(/^A signal's name must be segments/),
  )

  it("has JSON of at most 256 KiB and 100 levels", () => {
    const text = "x".repeat(MAX_PAYLOAD_BYTES - 2)
    expect(signalFault("a", text)).toBeNull()
    expect(signalFault("a", `${text}x`)).toBe("The payload of a is larger than 256 KiB.")
    expect(signalFault("a", "é".repeat(MAX_PAYLOAD_BYTES / 2))).toBe("The payload of a is larger than 256 KiB.")
    expect(signalFault("a", deep(100))).toBeNull()
    expect(signalFault("a", deep(101))).toBe("The payload of a is nested more than 100 levels deep.")
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    expect(signalFault("a", cycle)).toContain("nested more than 100 levels")
  })

  it.each([
    [undefined, "the value undefined"],
    [[1, undefined], "the value undefined"],
    [{ a: [Number.NaN] }, "the number NaN"],
    [1n, "a bigint"],
    [{ f: () => 1 }, "a function"],
    [Symbol("s"), "a symbol"],
    [{ at: new Date(0) }, "an object of the class Date"],
    [new Map([[1, 2]]), "an object of the class Map"],
  ])("may not have %o, which JSON does not have", (payload, what) => {
    expect(signalFault("a", payload)).toBe(`The payload of a is not JSON: it has ${what}.`)
  })

  it("drops undefined fields, and does not change with the object that it was created from", () => {
    const made = { kept: [1], left: undefined } as unknown as { kept: Array<number> }
    expect(signalFault("a", made)).toBeNull()
    const copy = payloadCopy(made)
    made.kept.push(2)
    expect(copy).toStrictEqual({ kept: [1] })
    expect(signalFault("a", Object.assign(Object.create(null), { a: null, b: "", c: true }))).toBeNull()
  })

  it("of the runtime is recognized by its name", () => {
    expect(["harness:end", "workflow:end", "workflow:start", "task:end"].map(isObserved)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
