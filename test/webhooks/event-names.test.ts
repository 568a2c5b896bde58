import { describe, expect, it } from "vitest"
import { patternIssue } from "../../src/webhooks/event-names.ts"

describe("a webhook's pattern", () => {
  it.each([
    "**",
    "*",
    "sdk:result/*",
    "sdk:*",
    "sdk:system/**",
    "sdk:system/model_fallback",
    "ask:opened",
    "session:erased",
    "hook:fired/*",
    "hook:fired/PreToolUse",
    "bridge:called/subtask_complete",
    "webhook:test",
  ])("%s matches an event", (pattern) => {
    expect(patternIssue(pattern)).toBeUndefined()
  })

  it.each([
    ["nothing", "matches no event. The names are those of GET /v1/sessions/{id}/events, such as"],
    ["sdk:resutl/*", "matches no event. Did you mean sdk:result/*?"],
    ["sdk:result/sucess", "matches no event. Did you mean sdk:result/success?"],
    ["ask.opened", "matches no event. Did you mean ask:opened?"],
    ["hook:fired", "matches no event. Did you mean hook:fired/*?"],
    ["hook:fired/PreTooluse", "matches no event. Did you mean hook:fired/PreToolUse?"],
    ["SDK:result/*", "matches no event"],
    ["sdk:result/*/more", "matches no event"],
    ["sdk:stream_event", "matches no event"],
    ["tool:printed", "matches no event"],
    ["file:changed", "matches no event"],
  ])("%s is refused", (pattern, message) => {
    expect(patternIssue(pattern)).toContain(message)
  })
})
