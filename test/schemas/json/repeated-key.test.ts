// Keys that an object has twice: they are found at any depth and in any spelling, and nothing else is taken for one.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deepPath, repeatedKey } from "../../../src/schemas/json/repeated-key.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

describe("a repeated key", () => {
  it.each([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":1,"b":{"c":[0,{"d":1,"e":[],"d" :2}]}}', ["b", "c", 1, "d"]],
    ['[[{"a":1},{"a":1}],{"":1,\n"" :{}}]', [1, ""]],
    ['{"model":1,"mod\\u0065l":2}', ["model"]],
    ['{"\\ud800":1,"\\ud801":2}', ["\uFFFD"]],
    ['{"a\\"":{},"a\\"":{}}', ['a"']],
    ['{"constructor":1,"constructor":2}', ["constructor"]],
  ])("is found in %s", (json, path) => {
    expect(repeatedKey(json)).toEqual(path)
  })

  it.each(['{"a":"a","b":"a","c":["a","a"]}', '{"a":{"a":{"a":1}},"b":{"a":1}}', '[{"a":1},{"a":2}]', '"a"', "[]"])(
    "is not found in %s",
    (json) => {
      expect(repeatedKey(json)).toBeNull()
    },
  )

  it("is never found in what JSON.stringify writes", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => repeatedKey(JSON.stringify(value, null, 1)) === null))
  })

  it("is found in time linear in the text", () => {
    const keys = Array.from({ length: 90_000 }, (_, index) => `"key-${index}":{"a":[1,2]}`).join(",")
    const spent = cpuTime()
    expect(repeatedKey(`{${keys},"key-0":1}`)).toEqual(["key-0"])
    expect(repeatedKey(`{"prompt":"${"x\\\\".repeat(7_000_000)}","prompt":1}`)).toEqual(["prompt"])
    expect(spent()).toBeLessThan(4_000)
  })
})

describe("what is nested too deeply", () => {
  it.each([
    ['{"a":[1,{"b":{"c":[{}]}}]}', 3, ["a", 1, "b"]],
    ['{"a":{"a":1},"b":[[]],"c":{"d":{"e":1}}}', 2, ["b", 0]],
    ["[[[[]]]]", 0, []],
    ['{"a":1,"a":{"b":[]}}', 2, ["a", "b"]],
    ['{"a\\x":["]",[{', 2, ["a\\x", 1]],
  ])("has its path in %s", (json, levels, path) => {
    expect(deepPath(json, levels)).toEqual(path)
  })

  it("is nothing in a text with fewer levels", () => {
    expect(deepPath('{"a":[1,{"b":2}],"c":"[[[["}', 3)).toBeNull()
  })
})
