// The answer to a body that is not valid JSON: the position of the error, in time linear in the body's length.
import { expect, it } from "vitest"
import { notJson } from "../../../src/http/bodies/json-faults.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const messageOf = (body: string) => notJson(new Request("http://perch.example/", { method: "POST" }), body).message

const long = " ".repeat(100)

it.each([
  [`{"a": ${long}x}`, "line 1, column 107"],
  [`{"a": "x, \\" x", ${long}\n${long}x}`, "line 2, column 101"],
  [`["x", ${long}"\\\\", x]`, "line 1, column 113"],
  [`\n\n{"a": 1,}${long}`, "line 3, column 9"],
  [`{"a": "b\nc"}`, "line 1, column 9"],
  [`{"a": [1, 2`, "line 1, column 12"],
])("the fault of %j has its line and column", (body, place) => {
  expect(messageOf(body)).toContain(`At ${place} `)
})

it.each([
  ["quotes that do not end", `x${'"\\'.repeat(500_000)}`],
  ["texts", `x${'"a"'.repeat(300_000)}`],
  ["one long text", `{"${"a".repeat(20_000_000)}" x}`],
  ["lines", `${"\n".repeat(5_000_000)}x`],
])("a body of %s is refused quickly", (_, body) => {
  const spent = cpuTime()
  expect(messageOf(body)).toContain("The request body is not valid JSON. At line ")
  expect(spent()).toBeLessThan(4_000)
})

it.each(["constructor", "__proto__", "toString", "text/plain"])("the content type %j has no hint", (type) => {
  const request = new Request("http://perch.example/", { method: "POST", headers: { "content-type": type } })
  expect(notJson(request, "{a").message).toBe(
    "The request body is not valid JSON. At line 1, column 2 a key has no double quotes.",
  )
})
