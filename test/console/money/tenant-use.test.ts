import { expect, test } from "vitest"
import { usesOf } from "../../../src/console/money/tenant-use.ts"

const limits = { open_sessions: 50, running_turns: 20, running_workflows: 10, queued_prompts: 100 }
const used = { open_sessions: 3, running_turns: 0, running_workflows: null }

test("usage is shown with its limit, including the remaining requests from the answer's headers", () => {
  const headers = new Headers({ "ratelimit-policy": '"requests";q=600;w=60', ratelimit: '"requests";r=593;t=12' })
  expect(usesOf({ limits, own: {}, used }, headers)).toEqual([
    { name: "open_sessions", used: 3, limit: 50 },
    { name: "running_turns", used: 0, limit: 20 },
    { name: "requests", used: 7, limit: 600 },
  ])
})

test("an answer without the headers, and usage without a limit, have no bar", () => {
  const answer = { limits: { open_sessions: 50 }, own: {}, used: { ...used, running_workflows: 2 } }
  expect(usesOf(answer, new Headers())).toEqual([{ name: "open_sessions", used: 3, limit: 50 }])
})
