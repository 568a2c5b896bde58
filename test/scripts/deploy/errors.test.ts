// Each reason for which Cloudflare refuses: one sentence, what to do, and nothing is written if the reason can be known before.
import { expect, it } from "vitest"
import { wranglerError } from "../../../scripts/deploy/errors.mjs"
import { deployments } from "../../support/cloudflare/deployments.ts"
import { ACCOUNT, EVERYTHING, type AccountState, type Permission } from "../../support/cloudflare/state.ts"

const { cloudflare, run } = deployments()

const without = (permission: Permission) => (state: AccountState) => {
  state.permissions = EVERYTHING.filter((one) => one !== permission)
}

const CASES: ReadonlyArray<[name: string, set: (state: AccountState) => void, args: Array<string>, message: RegExp]> = [
  ["a token without D1", without("d1"), [], /lacks the permission "Account · D1 · Edit"/],
  ["a token without Queues", without("queues"), [], /lacks the permission "Account · Queues · Edit"/],
  ["a token without Workers", without("workers"), [], /lacks the permission "Account · Workers Scripts · Edit"/],
  ["a plan without Queues", (state) => void (state.plan = "without-queues"), [], /plan has no Queues/],
  ["the free plan", (state) => void (state.plan = "free"), [], /free plan refuses the CPU limit/],
  ["as many databases as the plan allows", (state) => void (state.databaseLimit = 0), [], /as many D1 databases/],
  [
    "a subdomain of someone else",
    (state) => void (state.subdomain = undefined),
    ["--subdomain", "taken"],
    /belongs to someone else/,
  ],
]

it.each(CASES)("%s is an error that says what to do, and the next run completes", async (_, set, args, message) => {
  set(cloudflare.state)
  const account = ["--account", ACCOUNT]
  const { error, text } = await run({ args: [...account, ...args] })
  expect(error?.message).toMatch(message)
  expect(error?.advice).toMatch(/\S/)
  expect(text).not.toContain("perch_root_")
  // What Cloudflare refuses has no effect; an interrupted wrangler command may have had some.
  if (!text.includes("Deploying")) expect(text).not.toContain("It is unknown")
  const { state } = cloudflare
  Object.assign(state, { permissions: EVERYTHING, plan: "paid", databaseLimit: 10, subdomain: "north" })
  expect((await run({ args: account })).error).toBeUndefined()
})

it("an account without a workers.dev subdomain needs one, and --subdomain registers it", async () => {
  cloudflare.state.subdomain = undefined
  const { error } = await run({ url: "workers.dev" })
  expect(error?.message).toContain("no workers.dev subdomain")
  expect(error?.advice).toContain(`https://dash.cloudflare.com/${ACCOUNT}/workers/onboarding`)
  expect(cloudflare.state.databases).toEqual([])
  const registered = await run({ args: ["--subdomain", "south"] })
  expect(registered.error).toBeUndefined()
  expect(cloudflare.state.subdomain).toBe("south")
  const planned = await run({ url: "workers.dev", args: ["--dry-run"] })
  expect(planned.text).toContain("at https://perch.south.workers.dev")
})

it("a token that Cloudflare does not know is distinguished from one without permission", async () => {
  const { error, text } = await run({ token: "mistyped-token" })
  expect(error?.message).toBe("Cloudflare does not accept the API token: it is mistyped, expired or revoked.")
  expect(text).not.toContain("mistyped-token")
})

it("--free deploys to the free plan", async () => {
  cloudflare.state.plan = "free"
  expect((await run({ args: ["--free"] })).error).toBeUndefined()
})

it.each([
  ["[ERROR] Not logged in. Please run `wrangler login`", /not logged in/],
  ["[ERROR] getaddrinfo ENOTFOUND api.cloudflare.com", /could not reach Cloudflare/],
  [
    `✘ [ERROR] A request to the Cloudflare API (/accounts/abc/d1/database/x/query) failed.\n\n  Authentication error [code: 10000]`,
    /"Account · D1 · Edit"/,
  ],
  [
    "✘ [ERROR] A request to the Cloudflare API (/accounts/abc/workers/scripts/perch) failed.\n  CPU limits are not supported for the Free plan [code: 100328]",
    /free plan refuses/,
  ],
  [
    "✘ [ERROR] Build failed with 1 error:\n  src/worker.ts:1:1: no",
    /`wrangler deploy` failed: Build failed with 1 error/,
  ],
])("wrangler's %j is one sentence", (output, message) => {
  const error = wranglerError("deploy", `\u001b[31m${output}\u001b[0m`, false)
  expect(error.message).toMatch(message)
  expect(error.advice).toMatch(/\S/)
})
