// The order in which test files run: the slowest start first, so that none of them is left to run alone at the end. Files of a
// project are consecutive, because a worker that switches to another project loads everything again.
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Files and folders by duration, longest first. Two that show every screen are even before them: their screens are as short as
 * the lists of sessions, costs and hook events of the shared server, which each test makes longer.
 */
const LONGEST = [
  "test/e2e/console/accessibility.test.ts",
  "test/e2e/console/network/all-screens.test.ts",
  "test/faults/short.test.ts",
  "test/e2e/restarts/restart.test.ts",
  "test/e2e/restarts/start.test.ts",
  "test/e2e/restarts/",
  "test/e2e/docs/",
  "test/e2e/clients/",
  "test/e2e/files/",
  "test/e2e/",
  "test/faults/",
  "test/behaviour/deploy/",
  "test/behaviour/shell/shell-limits.test.ts",
  "test/behaviour/tools/large-results.test.ts",
  "test/behaviour/mcp/whole-server.test.ts",
  "test/behaviour/schemas/",
  "test/behaviour/outages/",
]

const rank = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.includes(name))
  return found === -1 ? LONGEST.length : found
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return sorted.toSorted((first, second) => rank(first) - rank(second))
  }
}
