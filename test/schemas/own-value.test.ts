// Tables that are indexed with keys from outside.
import { expect, it } from "vitest"
import { ownValue } from "../../src/schemas/own-value.ts"
import { patternOf, permissionOf } from "../../src/schemas/sdk/tools/permission-names.ts"

it("inherited properties of objects are in no table", () => {
  const keys = ["constructor", "toString", "__proto__", "hasOwnProperty", "a"]
  expect(keys.map((key) => ownValue({ a: 1 }, key))).toEqual([undefined, undefined, undefined, undefined, 1])
})

it("a tool with such a name has a permission of its own", () => {
  expect(permissionOf("constructor")).toBe("constructor")
  expect(patternOf("constructor", { command: "x" })).toBe("*")
})
