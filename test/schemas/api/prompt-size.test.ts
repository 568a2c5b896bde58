// The largest image of a prompt: its bytes count, not the padding of their base64.
import { expect, it } from "vitest"
import { promptSizeIssue } from "../../../src/schemas/api/prompt-size.ts"

const LIMIT = 5 * 1024 * 1024
const image = (bytes: number) => [
  { type: "image", source: { type: "base64", media_type: "image/png", data: Buffer.alloc(bytes).toString("base64") } },
]

it.each([LIMIT - 2, LIMIT - 1, LIMIT])("an image of %d bytes is accepted", (bytes) => {
  expect(promptSizeIssue(image(bytes))).toBeUndefined()
})

it.each([LIMIT + 1, LIMIT + 2, LIMIT + 3])("an image of %d bytes is refused with its size", (bytes) => {
  expect(promptSizeIssue(image(bytes))).toMatchObject({
    field: "prompt[0]",
    what: `an image has at most 5242880 bytes (5 MiB), and this one has ${bytes}`,
  })
})
