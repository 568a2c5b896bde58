// date through the Bash tool; what each line gives was compared with GNU date 9.4.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

describe("date", () => {
  it.each([
    ["date -d @1700000000 -I", "2023-11-14"],
    ["date -d @1700000000 -Iseconds", "2023-11-14T22:13:20+00:00"],
    ["date -d @1700000000 --iso-8601=minutes", "2023-11-14T22:13+00:00"],
    ["date -u -d '2020-01-01 2 days ago' +%F", "2019-12-30"],
    ["date -d '2024-01-31 +1 month' +%F", "2024-03-02"],
    ["date --date='2024-02-28 + 2 days' +%F", "2024-03-01"],
    ["echo $(( ($(date +%s) - $(date -d '2 weeks ago' +%s)) / 86400 ))", "14"],
    ["date -d 'nonsense 2 days' +%F", "Exit code 1\ndate: invalid date 'nonsense 2 days'"],
  ])("%s", async (command, output) => {
    const { context } = openContext()
    expect(String((await run(bashTool, { command }, context)).content)).toBe(output)
  })
})
