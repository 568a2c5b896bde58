// date through the Bash tool; the expected results were compared with GNU date 9.4.
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
    ["echo $(( ($(date +%s) - $(date -d '2 weeks ago' +%s) + 3600) / 86400 ))", "14"],
    ["date -d 2024-01-05 '+%-d/%-m %_d %^a %03d %:z'", "5/1  5 FRI 005 +00:00"],
    ["date -d @1.5 '+%s.%3N'", "1.500"],
    ["date -d '2024-01-05 08:05' '+%-H:%M'", "8:05"],
    ["date --rfc-3339=seconds -d @0", "1970-01-01 00:00:00+00:00"],
    ["date -d 20240101 +%F", "2024-01-01"],
    ["date -d 'Jan 5 2024 3pm' '+%F %T'", "2024-01-05 15:00:00"],
    ["date -d '5 Jan 2024 10:30' '+%F %T'", "2024-01-05 10:30:00"],
    ["date -d 'next monday' +%u", "1"],
    ["date -d 'last friday' +%a", "Fri"],
    ["date -d 'yesterday 10:00' +%R", "10:00"],
    ["date -d 12:30 +%H%M", "1230"],
    ["date -d '2024-01-01 next month' +%F", "2024-02-01"],
    ["date -ud 2024-01-01 +%s", "1704067200"],
    ["TZ=America/New_York date -d @0 '+%-H:%M'", "19:00"],
    ["touch -d '2021-05-06 07:08:09' a; date -r a '+%F %T'", "2021-05-06 07:08:09"],
    ["date -d 2024-02-30", "Exit code 1\ndate: invalid date '2024-02-30'"],
    ["date -r nothing", "Exit code 1\ndate: nothing: No such file or directory"],
    ["date -d 'nonsense 2 days' +%F", "Exit code 1\ndate: invalid date 'nonsense 2 days'"],
  ])("%s", async (command, output) => {
    const { context } = openContext()
    expect(String((await run(bashTool, { command }, context)).content)).toBe(output)
  })
})
