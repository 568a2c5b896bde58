// Deployments to a fake account over HTTP: first, again, after every failure, and what is refused before anything is written.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { deployments } from "../../support/cloudflare/deployments.ts"
import { ACCOUNT } from "../../support/cloudflare/state.ts"

const here = deployments()
const { cloudflare, served, run } = here

const shownKey = (text: string): string | undefined => /^ {2}(perch_root_\S+)$/m.exec(text)?.[1]
const secret = (name: string) => cloudflare.state.workers.get("perch")?.secrets.get(name)
const writes = () => cloudflare.calls.filter((call) => !call.startsWith("GET") && !call.endsWith("/query"))

it("a first run creates everything, shows the root key once and works", async () => {
  const { text, error } = await run()
  expect(error).toBeUndefined()
  expect(cloudflare.unknown).toEqual([])
  expect(cloudflare.state.summary()).toEqual({
    subdomain: "north",
    databases: [{ name: "perch", tables: ["d1_migrations", "keys", "sessions", "sqlite_sequence"] }],
    queues: [
      { queue_name: "perch-hooks", consumers: [{ script: "perch", dead_letter_queue: "perch-hooks-dead" }] },
      { queue_name: "perch-hooks-dead", consumers: [{ script: "perch", dead_letter_queue: undefined }] },
    ],
    workers: [
      {
        name: "perch",
        secrets: ["PERCH_ROOT_KEY"],
        onWorkersDev: true,
        bindings: ["d1 DB", "durable_object_namespace SESSIONS", "queue HOOKS"],
      },
    ],
  })
  const key = shownKey(text)
  expect(key).toBe(secret("PERCH_ROOT_KEY"))
  // 32 random bytes as base64url.
  expect(key).toMatch(/^perch_root_[\w-]{43}$/)
  expect(text).toContain(`The console is at ${served.url}/`)
  expect(text).toContain("offline")
})

it("a second run changes nothing but the Worker's version, and shows no key", async () => {
  const firstRun = await run()
  const before = cloudflare.state.summary()
  const key = secret("PERCH_ROOT_KEY")
  cloudflare.calls = []
  const second = await run()
  expect(second.error).toBeUndefined()
  expect(cloudflare.state.summary()).toEqual(before)
  expect(secret("PERCH_ROOT_KEY")).toBe(key)
  expect(shownKey(second.text)).toBeUndefined()
  expect(second.text).not.toContain(shownKey(firstRun.text))
  expect(writes().filter((call) => !/workers\/scripts|consumers/.test(call))).toEqual([])
})

it("leaves wrangler.toml unchanged, and writes the database's id into a separate file", async () => {
  const before = fs.readFileSync(path.join(here.root, "wrangler.toml"), "utf8")
  await run()
  expect(fs.readFileSync(path.join(here.root, "wrangler.toml"), "utf8")).toBe(before)
  const id = cloudflare.state.database("perch")?.uuid
  expect(fs.readFileSync(path.join(here.root, "wrangler.perch.toml"), "utf8")).toContain(`database_id = "${id}"`)
})

it.each(["before", "after"] as const)(
  "whichever call fails %s its effect, the next run completes the deployment",
  async (how) => {
    const clean = await run()
    expect(clean.error).toBeUndefined()
    const wanted = cloudflare.state.summary()
    const count = cloudflare.calls.length
    expect(count).toBeGreaterThan(20)
    for (let call = 0; call < count; call += 1) {
      here.fresh()
      cloudflare.failure = { call, how }
      const broken = await run()
      expect(broken.error, `call ${call}`).toBeDefined()
      expect(broken.error?.message).toMatch(/\.$/)
      expect(
        fs.readdirSync(here.root, { recursive: true }).filter((file) => String(file).endsWith("secrets.json")),
      ).toEqual([])
      cloudflare.failure = undefined
      const again = await run()
      expect(again.error, `call ${call}: ${again.text}`).toBeUndefined()
      expect(cloudflare.state.summary(), `call ${call}`).toEqual(wanted)
      // The key was created once: the user sees the Worker's key, whenever the first run ended.
      expect(shownKey(broken.text)).toBeUndefined()
      expect(shownKey(again.text), `call ${call}`).toBe(secret("PERCH_ROOT_KEY"))
    }
  },
)

it("an interrupted run names its changes", async () => {
  await run()
  const second = cloudflare.calls.lastIndexOf(`POST /accounts/${ACCOUNT}/queues`)
  here.fresh()
  cloudflare.failure = { call: second, how: "before" }
  const { text } = await run()
  expect(text).toContain("Cloudflare's API answered 503")
  expect(text).toMatch(/Done before that, and kept: created D1 database perch \(\S+\), created queue perch-hooks\./)
  expect(text).toContain("It is unknown whether this was completed: creating queue perch-hooks-dead.")
})

it("a dry run prints the plan and writes nothing, at Cloudflare or locally", async () => {
  const { text, error } = await run({ args: ["--dry-run"] })
  expect(error).toBeUndefined()
  expect(writes()).toEqual([])
  expect(fs.readdirSync(here.root).toSorted()).toEqual(["migrations", "wrangler.toml"])
  expect(text).toContain(`Account ${ACCOUNT}
  create  D1 database perch
  create  queue perch-hooks
  create  queue perch-hooks-dead
  apply   migrations: all to apply
  create  secret PERCH_ROOT_KEY (256 random bits)
  skip    secret ANTHROPIC_API_KEY (none: the offline model answers)
  deploy  Worker perch at ${served.url}`)
})

it("--name creates a second deployment that shares nothing with the first", async () => {
  await run()
  const before = cloudflare.state.summary()
  const { error } = await run({ args: ["--name", "perch-staging"] })
  // The checked address is the first deployment's, whose root key differs.
  expect(error?.message).toContain("this check failed")
  expect(cloudflare.state.summary()).toEqual({
    ...before,
    databases: [...before.databases, { ...before.databases[0], name: "perch-staging" }],
    queues: [
      ...before.queues,
      {
        queue_name: "perch-staging-hooks",
        consumers: [{ script: "perch-staging", dead_letter_queue: "perch-staging-hooks-dead" }],
      },
      {
        queue_name: "perch-staging-hooks-dead",
        consumers: [{ script: "perch-staging", dead_letter_queue: undefined }],
      },
    ],
    workers: [...before.workers, { ...before.workers[0], name: "perch-staging" }],
  })
  expect(fs.existsSync(path.join(here.root, "wrangler.perch-staging.toml"))).toBe(true)
})

it("--check tests the deployed Worker and changes nothing", async () => {
  await run()
  const before = cloudflare.state.summary()
  const key = secret("PERCH_ROOT_KEY") ?? ""
  cloudflare.calls = []
  const { text } = await run({ args: ["--check"], env: { PERCH_ROOT_KEY: key } })
  expect(text).toContain("✓ a request with the root key is answered")
  expect(writes()).toEqual([])
  expect(cloudflare.state.summary()).toEqual(before)
})
