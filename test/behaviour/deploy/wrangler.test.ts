// `npm run deploy` with the project's own wrangler, against the fake API: migrations, bundle, upload, queues, secrets.
import { spawn } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { FakeCloudflare } from "../../support/cloudflare/cloudflare.ts"
import { DeployedWorker } from "../../support/cloudflare/deployed-worker.ts"
import { ACCOUNT, TOKEN } from "../../support/cloudflare/state.ts"
import { plant, temporaryFolder } from "../../support/values/folder.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
/** Bundling takes 4 s of processor time, and much longer when other tests use the processors. */
const BUNDLING = 240_000
const NAME = `perch-test-${process.pid}`
const cloudflare = new FakeCloudflare()
const served = new DeployedWorker(cloudflare, NAME)
const home = temporaryFolder("home")

beforeAll(async () => {
  await cloudflare.start()
  await served.start()
})
afterAll(async () => {
  await served.stop()
  await cloudflare.stop()
  fs.rmSync(path.join(ROOT, `wrangler.${NAME}.toml`), { force: true })
  fs.rmSync(home, { recursive: true, force: true })
})

/** Runs the script with only this environment. */
const deploy = async (env: Record<string, string>, args: Array<string> = []) => {
  const child = spawn(process.execPath, ["scripts/deploy.mjs", "--name", NAME, "--url", served.url, ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      CI: "true",
      CLOUDFLARE_API_BASE_URL: cloudflare.url,
      ...env,
    },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.on("close", resolve))
  return { code, output }
}

const KEY = "a-root-key-for-the-test-of-wrangler-itself"
const byToken = { CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_ACCOUNT_ID: ACCOUNT, PERCH_ROOT_KEY: KEY }

it("wrangler deploys all of Perch to an empty account", { timeout: BUNDLING }, async () => {
  const { code, output } = await deploy({ ...byToken, ANTHROPIC_API_KEY: "sk-ant-for-the-test" })
  expect(output).toContain(`The console is at ${served.url}/`)
  expect(code).toBe(0)
  expect(cloudflare.unknown).toEqual([])
  expect(output).not.toContain(KEY)
  const { databases, queues, workers } = cloudflare.state.summary()
  expect(databases[0]?.tables).toEqual(expect.arrayContaining(["d1_migrations", "sessions", "api_keys"]))
  expect(queues.map(({ consumers }) => consumers)).toEqual([
    [{ script: NAME, dead_letter_queue: `${NAME}-hooks-dead` }],
    [{ script: NAME, dead_letter_queue: undefined }],
  ])
  expect(workers[0]).toMatchObject({ name: NAME, secrets: ["ANTHROPIC_API_KEY", "PERCH_ROOT_KEY"], onWorkersDev: true })
  expect(workers[0]?.bindings).toEqual(
    expect.arrayContaining(["assets ASSETS", "d1 DB", "durable_object_namespace SESSIONS", "queue HOOKS"]),
  )
})

it(
  "a second deployment is a new version with the secrets, the database and the queues of the first",
  { timeout: BUNDLING },
  async () => {
    const before = cloudflare.state.summary()
    const versions = () => cloudflare.state.workers.get(NAME)?.versions.length
    const count = versions() ?? 0
    const { code, output } = await deploy(byToken)
    expect(output).toContain("keep    secret PERCH_ROOT_KEY")
    expect(code).toBe(0)
    expect(cloudflare.unknown).toEqual([])
    expect(cloudflare.state.summary()).toEqual(before)
    expect(versions()).toBe(count + 1)
  },
)

it(
  "the login of `wrangler login` is sufficient, and without one the error says what to do",
  { timeout: BUNDLING },
  async () => {
    const none = await deploy({}, ["--dry-run"])
    expect(none.output).toContain("You are not logged in to Cloudflare.\nRun `npx wrangler login`")
    expect(none.code).toBe(1)
    const login = `oauth_token = "${TOKEN}"\nrefresh_token = "r"\nexpiration_time = "2999-01-01T00:00:00.000Z"\n`
    plant(home, { ".config/.wrangler/config/default.toml": login })
    const { output, code } = await deploy({}, ["--dry-run"])
    expect(output).toContain(`Account ${ACCOUNT}`)
    expect(output).toContain("Nothing was changed")
    expect(code).toBe(0)
  },
)
