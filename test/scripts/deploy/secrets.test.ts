// Secrets: set once, never overwritten, never printed except a new root key, and read without an echo.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { deployments } from "../../support/cloudflare/deployments.ts"

const here = deployments()
const { cloudflare, served, run } = here
const secrets = () => Object.fromEntries(cloudflare.state.workers.get("perch")?.secrets ?? [])
const KEY = "a-root-key-of-the-environment-with-enough"
const MODEL = "sk-ant-secret-of-the-environment"

it("secrets of the environment are set and not printed", async () => {
  const { text, error } = await run({ env: { PERCH_ROOT_KEY: KEY, ANTHROPIC_API_KEY: MODEL } })
  expect(error).toBeUndefined()
  expect(secrets()).toEqual({ PERCH_ROOT_KEY: KEY, ANTHROPIC_API_KEY: MODEL })
  expect(text).not.toContain(KEY)
  expect(text).not.toContain(MODEL)
  expect(text).toContain("the Messages API")
})

it("secrets that the Worker has are not overwritten", async () => {
  await run({ env: { PERCH_ROOT_KEY: KEY, ANTHROPIC_API_KEY: MODEL } })
  const { error } = await run({ env: { PERCH_ROOT_KEY: KEY, ANTHROPIC_API_KEY: "another" } })
  expect(error).toBeUndefined()
  expect(secrets()).toEqual({ PERCH_ROOT_KEY: KEY, ANTHROPIC_API_KEY: MODEL })
})

it("a root key in the environment that differs from the Worker's is reported at once", async () => {
  await run()
  const { error } = await run({ env: { PERCH_ROOT_KEY: KEY } })
  expect(error?.message).toBe("The Worker's root key differs from PERCH_ROOT_KEY of the environment.")
})

it("a root key that the Worker would refuse is refused before anything is written", async () => {
  const { error } = await run({ env: { PERCH_ROOT_KEY: "too-short" } })
  expect(error?.message).toContain("PERCH_ROOT_KEY has 9 characters")
  expect(cloudflare.state.databases).toEqual([])
})

it("a new root key is stored for its owner only, until it was shown", async () => {
  // The deployment works, and its address does not: the run ends before it shows the key.
  served.missing = 1
  const broken = await run()
  expect(broken.error?.message).toContain("GET /healthz")
  expect(broken.error?.advice).toContain("--check")
  const file = path.join(here.root, ".wrangler/deploy/perch.root-key")
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(broken.text).not.toContain("perch_root_")
  const again = await run()
  expect(again.text).toContain(secrets()["PERCH_ROOT_KEY"])
  expect(fs.existsSync(file)).toBe(false)
})

it("in a job, whose output is a log, a new root key is written to a file or not created", async () => {
  const env = { CI: "true" }
  const { error } = await run({ env })
  expect(error?.message).toContain("would end in the log")
  expect(cloudflare.state.databases).toEqual([])
  const file = path.join(here.root, "key")
  const written = await run({ env, args: ["--key-file", file] })
  expect(written.error).toBeUndefined()
  expect(fs.readFileSync(file, "utf8").trim()).toBe(secrets()["PERCH_ROOT_KEY"])
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(written.text).not.toContain("perch_root_")
})

it("a --key-file that can't be written is refused before anything is created", async () => {
  const { error } = await run({ env: { CI: "true" }, args: ["--key-file", path.join(here.root, "missing/key")] })
  expect(error?.message).toMatch(/^--key-file .*missing\/key can't be written \(ENOENT\)\.$/)
  expect(cloudflare.state.summary()).toMatchObject({ databases: [], queues: [], workers: [] })
})

it("a --key-file has the key of a deployment whose check fails, and is its owner's alone even if it existed", async () => {
  const file = path.join(here.root, "key")
  fs.writeFileSync(file, "old", { mode: 0o644 })
  here.served.failing = ["/healthz"]
  const { error } = await run({ env: { CI: "true" }, args: ["--key-file", file] })
  expect(error?.message).toContain("this check failed")
  expect(fs.readFileSync(file, "utf8")).toBe(`${secrets()["PERCH_ROOT_KEY"]}\n`)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
})

it("the model's key is asked for only if someone can answer, and while the Worker has none", async () => {
  let asked = 0
  const ask = async () => {
    asked += 1
    return asked === 1 ? undefined : MODEL
  }
  const first = await run({ ask })
  expect(first.text).toContain("ask     secret ANTHROPIC_API_KEY")
  expect(first.text).toContain("offline")
  expect(secrets()).not.toHaveProperty("ANTHROPIC_API_KEY")
  const { text } = await run({ ask })
  expect(secrets()).toHaveProperty("ANTHROPIC_API_KEY", MODEL)
  expect(text).not.toContain(MODEL)
  await run({ ask })
  expect(asked).toBe(2)
})
