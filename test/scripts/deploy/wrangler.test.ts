// How the deployment runs wrangler: a stand-in for its executable records its input.
import fs from "node:fs"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { withSecretsFile } from "../../../scripts/deploy/secrets.mjs"
import { Wrangler } from "../../../scripts/deploy/wrangler.mjs"
import { plant, temporaryFolder } from "../../support/values/folder.ts"

let root = ""
beforeEach(() => {
  root = temporaryFolder("wrangler")
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const install = (source: string) => plant(root, { "node_modules/wrangler/bin/wrangler.js": source })
const PATH = process.env["PATH"] ?? ""

it("passes it the account and hides the Worker's secrets from it", async () => {
  install(
    `require("fs").writeFileSync("given.json", JSON.stringify({ args: process.argv.slice(2), env: process.env }))`,
  )
  const env = { PATH, PERCH_ROOT_KEY: "root", ANTHROPIC_API_KEY: "model" }
  const wrangler = new Wrangler({ root, env })
  wrangler.use("abc", false)
  await wrangler.deploy("wrangler.perch.toml", "secrets.json")
  const { args, env: given } = JSON.parse(fs.readFileSync(path.join(root, "given.json"), "utf8"))
  expect(args).toEqual(["deploy", "--config", "wrangler.perch.toml", "--secrets-file", "secrets.json"])
  expect(given).toMatchObject({ CLOUDFLARE_ACCOUNT_ID: "abc", WRANGLER_SEND_METRICS: "false" })
  expect(given).not.toHaveProperty("PERCH_ROOT_KEY")
  expect(given).not.toHaveProperty("ANTHROPIC_API_KEY")
})

it("uses the credentials of a login, and does not show them", async () => {
  install(`console.log(JSON.stringify({ type: "oauth", token: "of-the-login" }))`)
  let shown = ""
  const wrangler = new Wrangler({ root, env: { PATH }, show: (text) => (shown += text) })
  expect(await wrangler.credentials()).toEqual({ type: "oauth", token: "of-the-login" })
  expect(shown).toBe("")
})

it("reports packages that are not installed", async () => {
  await expect(new Wrangler({ root, env: { PATH } }).credentials()).rejects.toThrow("packages are not installed")
})

it("a stop ends the running command, and removes the file with the secrets", async () => {
  install(`console.log("running"); setInterval(() => {}, 1000)`)
  let started = () => {}
  const running = new Promise<void>((resolve) => (started = resolve))
  const wrangler = new Wrangler({ root, env: { PATH }, show: () => started() })
  let file = ""
  const deployed = withSecretsFile(root, "perch", { PERCH_ROOT_KEY: "secret" }, (name: string) => {
    file = name
    return wrangler.deploy("wrangler.perch.toml", name)
  })
  await running
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(wrangler.stop()).toBe(true)
  await expect(deployed).rejects.toThrow("Stopped.")
  expect(fs.existsSync(file)).toBe(false)
  await expect(wrangler.migrate("wrangler.perch.toml")).rejects.toThrow("Stopped.")
})
