// The system blocks of a request: the user's own texts, Perch's prompt, and what of them is cached.
import { describe, expect, it } from "vitest"
import { systemPromptOf } from "../../../src/model/request/system-prompt.ts"

const CACHED = { type: "ephemeral" } as const

describe("the system prompt", () => {
  const context = { cwd: "/workspace", model: "claude-opus-5-5", tools: ["Read", "Bash"] }
  const BOUNDARY = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__"
  const textsOf = (option: Parameters<typeof systemPromptOf>[0]) =>
    systemPromptOf(option, context).map((block) => block.text)
  const preset = { type: "preset", preset: "claude_code" } as const

  it("consists of the user's own texts, unchanged, one block each, the last one cached", () => {
    expect(systemPromptOf("You are a pirate.", context)).toEqual([
      { type: "text", text: "You are a pirate.", cache_control: CACHED },
    ])
    const blocks = [
      { type: "text", text: " One.\n" },
      { type: "text", text: "Two.", cache_control: CACHED },
    ]
    expect(systemPromptOf([" One.\n", "", "Two."], context)).toEqual(blocks)
    expect(systemPromptOf({ type: "custom", prompt: [" One.\n", "Two."] }, context)).toEqual(blocks)
    expect(textsOf({ type: "custom", prompt: "One." })).toEqual(["One."])
  })

  it("names the working directory when Perch writes it", () => {
    for (const option of [undefined, preset]) {
      const [text = "", ...more] = textsOf(option)
      expect(more).toEqual([])
      expect(text).toMatch(/^Working directory: \/workspace$/m)
      expect(text).toContain("Perch")
    }
    expect(textsOf(preset)[0]).toContain("Bash is a simulated shell")
    expect(systemPromptOf(preset, { ...context, tools: [] })[0]?.text).not.toContain("Bash")
  })

  it("is the same for no option and for blank texts, as the SDK's client sends them", () => {
    for (const option of ["", [], [""], [" \n", ""], { type: "custom", prompt: "" } as const]) {
      expect(systemPromptOf(option, context)).toEqual(systemPromptOf(undefined, context))
    }
  })

  it("has a separate block for what is appended to the preset", () => {
    expect(systemPromptOf({ ...preset, append: "Speak French." }, context)).toEqual([
      { type: "text", text: textsOf(preset)[0] },
      { type: "text", text: "Speak French.", cache_control: CACHED },
    ])
    expect(textsOf({ ...preset, append: "" })).toHaveLength(1)
  })

  it("caches what precedes the SDK's boundary, which is not sent", () => {
    const expected = [
      { type: "text", text: "fixed" },
      { type: "text", text: "rules", cache_control: CACHED },
      { type: "text", text: "today" },
    ]
    expect(systemPromptOf(["fixed", "rules", BOUNDARY, "today"], context)).toEqual(expected)
    expect(systemPromptOf(`rules\n${BOUNDARY}\ntoday`, context)).toEqual([
      { type: "text", text: "rules\n", cache_control: CACHED },
      { type: "text", text: "\ntoday" },
    ])
    expect(systemPromptOf([BOUNDARY, "today"], context)).toEqual([
      { type: "text", text: "today", cache_control: CACHED },
    ])
    expect(textsOf(`about ${BOUNDARY}`)).toEqual([`about ${BOUNDARY}`])
  })
})
