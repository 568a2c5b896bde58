// `npm run deploy` itself, with the project's own wrangler, against the fake API: migrations, bundle, upload, queues, secrets.
import { spawn } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { FakeCloudflare } from "../../support/cloudflare/cloudflare.ts"
import { DeployedWorker } from "../../support/cloudflare/deployed-worker.ts"
import { ACCOUNT, TOKEN } from "../../support/cloudflare/state.ts"
import { temporaryFolder } from "../../support/values/folder.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
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

const deploy = async (env: Record<string, string>) => {
  const child = spawn(process.execPath, ["scripts/deploy.mjs", "--name", NAME, "--url", served.url], {
    cwd: ROOT,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      CI: "true",
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_BASE_URL: cloudflare.url,
      ...env,
    },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
  const code = await new Promise((resolve) => child.on("close", resolve))
  return { code, output }
}

it("wrangler deploys the whole of Perch to an empty account", async () => {
  const key = "a-root-key-for-the-test-of-wrangler-itself"
  const { code, output } = await deploy({ PERCH_ROOT_KEY: key, ANTHROPIC_API_KEY: "sk-ant-for-the-test" })
  expect(output).toContain(`The console is at ${served.url}/`)
  expect(code).toBe(0)
  expect(cloudflare.unknown).toEqual([])
  expect(output).not.toContain(key)
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
