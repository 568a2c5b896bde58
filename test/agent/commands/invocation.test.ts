// Which prompts call a command, and with which arguments.
import { describe, expect, it } from "vitest"
import { invocationOf, looksLikeCommand } from "../../../src/agent/commands/invocation.ts"

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } }

describe("prompts that call a command", () => {
  it.each<[prompt: string, name: string, args: string]>([
    ["/greet", "greet", ""],
    ["/greet Bob", "greet", "Bob"],
    ["/greet  two  spaces ", "greet", "two  spaces"],
    ["/greet\nnext line", "greet", "next line"],
    ["/sub:deep x", "sub:deep", "x"],
    ["/mcp__server__prompt a b", "mcp__server__prompt", "a b"],
    ["/GREET x", "GREET", "x"],
    ["/usr/bin/env", "usr/bin/env", ""],
  ])("%j calls %j with %j", (prompt, name, args) => {
    expect(invocationOf(prompt)).toEqual({ name, args, lead: [] })
    expect(invocationOf([{ type: "text", text: prompt }])).toEqual({ name, args, lead: [] })
  })

  it.each<[string]>([["hello"], [" /greet"], [""], ["/"], ["/ greet"], ["see /greet"]])("%j calls none", (prompt) => {
    expect(invocationOf(prompt)).toBeNull()
  })

  it("must be in the last block", () => {
    const call = { type: "text", text: "/greet x" }
    const lead = { type: "text", text: "before" }
    expect(invocationOf([lead, call])).toEqual({ name: "greet", args: "x", lead: [lead] })
    expect(invocationOf([image, call])).toEqual({ name: "greet", args: "x", lead: [image] })
    expect(invocationOf([call, lead])).toBeNull()
    expect(invocationOf([call, image])).toBeNull()
  })

  it("look like one even if no command has that name", () => {
    expect(looksLikeCommand("/unknown")).toBe(true)
    expect(looksLikeCommand([{ type: "text", text: "/unknown" }])).toBe(true)
    expect(looksLikeCommand("unknown")).toBe(false)
    expect(looksLikeCommand([])).toBe(false)
  })
})
