// Scenarios of compactions and cleared conversations through the official SDK, compared with what was recorded.
import { describe, expect, inject, it } from "vitest"
import { differences, digestOf } from "../../conformance/agents/digest/digest.ts"
import { drive } from "../../conformance/agents/drive.ts"
import { recordedDigest } from "../../conformance/agents/fixtures.ts"
import { perchVenue } from "../../conformance/agents/venues.ts"
import { COMPACTIONS } from "../../conformance/compaction/all.ts"
import { DELIBERATE } from "../../conformance/compaction/deliberate.ts"
import { ApiLog } from "../../support/session/api-log.ts"

const shared = inject("shared")
const venue = perchVenue(new ApiLog(shared.apiUrl), shared)

describe("a session whose conversation is compacted or cleared", () => {
  it.concurrent.each(COMPACTIONS.map((scenario) => ({ scenario, name: scenario.name })))(
    "does in $name what was recorded",
    async ({ name, scenario }) => {
      const found = differences(recordedDigest(name, "compaction"), digestOf(await drive(scenario, venue)))
      const aspects = found.map((line) => line.slice(0, line.indexOf("[")))
      expect(aspects, found.join("\n")).toEqual(DELIBERATE[name]?.differs ?? [])
    },
  )
})
