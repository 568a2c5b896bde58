// Deployments in tests: a folder with the project files that a deployment reads, the fake account, and one call that deploys.
import fs from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, beforeEach } from "vitest"
import { CloudflareApi } from "../../../scripts/deploy/api.mjs"
import { readArguments } from "../../../scripts/deploy/arguments.mjs"
import { Report } from "../../../scripts/deploy/report.mjs"
import { deploy } from "../../../scripts/deploy/run.mjs"
import { summary } from "../../../scripts/deploy/summary.mjs"
import { temporaryFolder } from "../values/folder.ts"
import { FakeCloudflare } from "./cloudflare.ts"
import { DeployedWorker } from "./deployed-worker.ts"
import { WranglerDouble } from "./wrangler-double.ts"

const PROJECT = path.resolve(import.meta.dirname, "../../..")

export type Asked = {
  args?: Array<string>
  env?: Record<string, string>
  ask?: () => Promise<string | undefined>
  token?: string
  /** Where the Worker is reached: the fake's address, unless it is `workers.dev`. */
  url?: "served" | "workers.dev"
}

/** Registers a fake account for the tests of a file; each test starts with an empty one and a fresh folder. */
export const deployments = () => {
  const cloudflare = new FakeCloudflare()
  const served = new DeployedWorker(cloudflare, "perch")
  let root = ""

  beforeAll(async () => {
    await cloudflare.start()
    await served.start()
  })
  afterAll(async () => {
    await served.stop()
    await cloudflare.stop()
  })
  const fresh = () => {
    cloudflare.reset()
    served.failing = []
    served.unbound = []
    served.migration = "0002_b"
    served.missing = 0
    if (root !== "") fs.rmSync(root, { recursive: true, force: true })
    root = temporaryFolder("deploy")
    fs.copyFileSync(path.join(PROJECT, "wrangler.toml"), path.join(root, "wrangler.toml"))
    fs.mkdirSync(path.join(root, "migrations"))
    fs.writeFileSync(path.join(root, "migrations/0001_a.sql"), "CREATE TABLE sessions (id TEXT PRIMARY KEY);")
    fs.writeFileSync(path.join(root, "migrations/0002_b.sql"), "CREATE TABLE keys (id TEXT PRIMARY KEY);")
  }
  beforeEach(fresh)
  afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

  /** Deploys like `npm run deploy -- args` on a terminal; its output is in `lines`, its failure in `error`. */
  const run = async ({ args = [], env = {}, ask, token, url = "served" }: Asked = {}) => {
    const lines: Array<string> = []
    const report = new Report((line: string) => lines.push(line))
    const wrangler = new WranglerDouble(cloudflare, root)
    if (token !== undefined) wrangler.token = token
    try {
      const options = readArguments(url === "served" ? ["--url", served.url, ...args] : args, env)
      const result = await deploy({
        root,
        env,
        options,
        wrangler,
        makeApi: (credentials: { type: "api_token"; token: string }) =>
          new CloudflareApi(cloudflare.url, credentials, []),
        ask,
        canKeepKey: env["CI"] === undefined || options.keyFile !== undefined,
        patience: { forMs: 0, everyMs: 1 },
        report,
      })
      lines.push(...summary(result, options))
      return { lines, text: lines.join("\n"), error: undefined }
    } catch (error) {
      report.failed(error)
      return { lines, text: lines.join("\n"), error: error as Error & { advice?: string } }
    }
  }

  return {
    cloudflare,
    served,
    run,
    fresh,
    get root() {
      return root
    },
  }
}
