// Input at a prompt for a secret is returned and not echoed.
import { PassThrough } from "node:stream"
import { expect, it } from "vitest"
import { askSecret } from "../../../scripts/deploy/prompt.mjs"

it.each([
  ["sk-ant-typed\n", "sk-ant-typed"],
  ["  pasted \r", "pasted"],
  ["\n", undefined],
])("%j is %j", async (typed, answer) => {
  const input = new PassThrough()
  const output = new PassThrough()
  const asked = askSecret({ input, output }, "Key: ")
  input.write(typed)
  expect(await asked).toBe(answer)
  expect(String(output.read())).toBe("Key: \n")
})

it("an input that ends returns no answer", async () => {
  const input = new PassThrough()
  const asked = askSecret({ input, output: new PassThrough() }, "Key: ")
  input.end()
  expect(await asked).toBeUndefined()
})
