// A text at the end of each form of system prompt.
import { expect, it } from "vitest"
import { withAppended } from "../../../src/session/definitions/appended-prompt.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"

const PRESET = { type: "preset", preset: "claude_code" } as const

it.each<readonly [SessionOptions["systemPrompt"], SessionOptions["systemPrompt"]]>([
  [undefined, { ...PRESET, append: "Z" }],
  ["", { ...PRESET, append: "Z" }],
  ["A", ["A", "Z"]],
  [
    ["A", "B"],
    ["A", "B", "Z"],
  ],
  [PRESET, { ...PRESET, append: "Z" }],
  [
    { ...PRESET, append: "A", snapshot: true },
    { ...PRESET, append: "A\n\nZ", snapshot: true },
  ],
  [
    { type: "custom", prompt: "A" },
    { type: "custom", prompt: ["A", "Z"] },
  ],
  [
    { type: "custom", prompt: ["A", "B"] },
    { type: "custom", prompt: ["A", "B", "Z"] },
  ],
])("a text behind %j", (own, expected) => {
  expect(withAppended(own, "Z")).toEqual(expected)
})
