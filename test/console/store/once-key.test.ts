import { expect, test } from "vitest"
import { OnceKey } from "../../../src/console/store/once-key.ts"

test("a body is sent again with its own key until its response has arrived", () => {
  let made = 0
  const once = new OnceKey(() => `key-${(made += 1)}`)
  const first = once.headersFor({ url: "a" })
  expect(once.headersFor({ url: "b" })).not.toEqual(first)
  expect(once.headersFor({ url: "a" })).toEqual(first)
  once.forget()
  expect(once.headersFor({ url: "a" })).not.toEqual(first)
})
