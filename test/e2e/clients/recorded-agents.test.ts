// Scenarios of agents and tasks through the official SDK, compared with recordings of the official software.
import { describe, expect, inject, it } from "vitest"
import { differences, digestOf } from "../../conformance/agents/digest/digest.ts"
import { drive } from "../../conformance/agents/drive.ts"
import { recordedDigest } from "../../conformance/agents/fixtures.ts"
import { DELIBERATE } from "../../conformance/agents/deliberate.ts"
import { PLAYED } from "../../conformance/agents/scenarios/all.ts"
import { perchVenue } from "../../conformance/agents/venues.ts"
import { ApiLog } from "../../support/session/api-log.ts"

const shared = inject("shared")
const venue = perchVenue(new ApiLog(shared.apiUrl), shared)

describe("a session with agents and tasks", () => {
  it.concurrent.each(PLAYED.map((scenario) => ({ scenario, name: scenario.name })))(
    "does in $name what was recorded",
    async ({ name, scenario }) => {
      const found = differences(recordedDigest(name), digestOf(await drive(scenario, venue)))
      const aspects = found.map((line) => line.slice(0, line.indexOf("[")))
      expect(aspects, found.join("\n")).toEqual(DELIBERATE[name]?.differs ?? [])
    },
  )
})
