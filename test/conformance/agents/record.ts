// Records scenarios with the official software, or compares a running server with what is recorded.
//
//   node_modules/.bin/node test/conformance/agents/record.ts EXECUTABLE [PREFIX…]
//       writes test/conformance/fixtures/FAMILY/NAME.json: EXECUTABLE is the `claude` that comes with the official SDK.
//       Each scenario runs twice; one that differs from itself is not written.
//   node_modules/.bin/node test/conformance/agents/record.ts --perch URL KEY API_PORT [PREFIX…]
//       runs them on a server that was started with ANTHROPIC_BASE_URL=http://127.0.0.1:API_PORT.
import fs from "node:fs"
import path from "node:path"
import { createFakeApi } from "../../support/session/scripted-api.mjs"
import { ApiLog } from "../../support/session/api-log.ts"
import { differences, digestOf, formatDigest } from "./digest/digest.ts"
import { drive } from "./drive.ts"
import { type Family, recordedDigest, recordingOf } from "./fixtures.ts"
import type { Scenario } from "./scenario.ts"
import { COMPACTIONS } from "../compaction/all.ts"
import { SCENARIOS } from "./scenarios/all.ts"
import { perchVenue, processVenue } from "./venues.ts"

interface Selected {
  readonly family: Family
  readonly scenario: Scenario
}

const ALL: ReadonlyArray<Selected> = [
  ...SCENARIOS.map((scenario) => ({ family: "agents" as const, scenario })),
  ...COMPACTIONS.map((scenario) => ({ family: "compaction" as const, scenario })),
]

const selected = (prefixes: ReadonlyArray<string>): ReadonlyArray<Selected> =>
  ALL.filter(({ scenario: { name } }) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)))

const record = async (executable: string, { family, scenario }: Selected): Promise<void> => {
  const once = async () => {
    const api = await createFakeApi()
    const recording = await drive(scenario, processVenue(new ApiLog(api.url), executable))
    await api.close()
    return digestOf(recording)
  }
  const [first, second] = [await once(), await once()]
  const varies = differences(first, second)
  for (const line of varies) console.log(`${scenario.name} varies: ${line}`)
  if (varies.length > 0) return
  const file = recordingOf(scenario.name, family)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, formatDigest(first))
  console.log(`recorded ${scenario.name}`)
}

const compare = async (
  [url = "", key = "", port = "0"]: ReadonlyArray<string>,
  scenarios: ReadonlyArray<Selected>,
): Promise<void> => {
  const api = await createFakeApi({ port: Number(port) })
  const venue = perchVenue(new ApiLog(api.url), { url, key })
  let same = 0
  for (const { family, scenario } of scenarios) {
    const found = differences(recordedDigest(scenario.name, family), digestOf(await drive(scenario, venue)))
    if (found.length === 0) same += 1
    console.log([`${found.length === 0 ? "same" : "DIFFERS"} ${scenario.name}`, ...found].join("\n    "))
  }
  console.log(`${same} of ${scenarios.length} are as recorded`)
  await api.close()
}

const [first = "", ...rest] = process.argv.slice(2)
if (first === "--perch") {
  await compare(rest.slice(0, 3), selected(rest.slice(3)))
} else {
  for (const scenario of selected(rest)) await record(first, scenario)
}
process.exit(0)
