// The findings of the checks of a deployed address, and for how long they are repeated.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { checkDeployment } from "../../../scripts/deploy/check.mjs"
import { FakeCloudflare } from "../../support/cloudflare/cloudflare.ts"
import { DeployedWorker } from "../../support/cloudflare/deployed-worker.ts"

const cloudflare = new FakeCloudflare()
const served = new DeployedWorker(cloudflare, "perch")
const KEY = "the-root-key-of-the-deployed-worker-here"

beforeAll(() => served.start())
afterAll(() => served.stop())
beforeEach(() => {
  cloudflare.reset()
  cloudflare.state.addWorker("perch", []).secrets.set("PERCH_ROOT_KEY", KEY)
  Object.assign(served, { failing: [], unbound: [], migration: "0014_session_totals", missing: 0 })
})

const check = (input: { key?: string; keyFrom?: string; migration?: string; forMs?: number; url?: string } = {}) => {
  const waits: Array<string> = []
  const { forMs = 0, url = served.url, ...rest } = input
  const patience = { forMs, everyMs: 1 }
  const onWait = (line: string) => waits.push(line)
  return { waits, result: checkDeployment({ url, hasRootKey: true, patience, onWait, ...rest }) }
}

it("a working Worker passes every check, and the result names what answers prompts", async () => {
  expect(await check({ key: KEY, migration: "0014_session_totals" }).result).toEqual({
    passed: [
      "GET /healthz",
      "a request without a key is refused",
      "a request with the root key is answered",
      "GET /readyz",
    ],
    model: "offline",
  })
})

it("an address that does not exist yet is retried until it answers", async () => {
  served.missing = 3
  const { waits, result } = check({ forMs: 60_000 })
  expect((await result).passed).toHaveLength(2)
  expect(waits).toEqual(["GET /healthz: it answered 404; waiting"])
})

it.each([
  ["a binding is missing", () => void (served.unbound = ["HOOKS"]), {}, "the Worker has no HOOKS"],
  [
    "an older version answers",
    () => {},
    { migration: "0015_new" },
    "the version with the migration 0014_session_totals, not 0015_new",
  ],
  [
    "D1 fails",
    () => void (served.failing = ["d1", "migrations"]),
    { key: KEY },
    "it answered 503, failed: d1, migrations",
  ],
  [
    "no root key is set",
    () => cloudflare.state.workers.get("perch")?.secrets.clear(),
    {},
    "the Worker has no PERCH_ROOT_KEY",
  ],
  ["the new key is not there yet", () => {}, { key: "another" }, "it answered 401"],
  ["nothing listens", () => {}, { url: "http://127.0.0.1:1" }, "bad port"],
])("when %s, the check says so", async (_, prepare, input, reason) => {
  prepare()
  await expect(check(input).result).rejects.toThrow(reason)
})

it("a key that the Worker had before is right or wrong at once", async () => {
  const input = { key: "another", keyFrom: "PERCH_ROOT_KEY of the environment", forMs: 3_600_000 }
  await expect(check(input).result).rejects.toThrow(
    "The Worker's root key differs from PERCH_ROOT_KEY of the environment.",
  )
})
