// Configurations of other environments and plans, as wrangler reads them.
import fs from "node:fs"
import path from "node:path"
import { afterAll, expect, it } from "vitest"
import { unstable_readConfig as readConfig } from "wrangler"
import { wranglerConfig } from "../../scripts/wrangler-config.mjs"

const ROOT = path.resolve(import.meta.dirname, "../..")
const TEXT = fs.readFileSync(path.join(ROOT, "wrangler.toml"), "utf8")
const ID = "11111111-2222-3333-4444-555555555555"
const written: Array<string> = []
afterAll(() => written.forEach((file) => fs.rmSync(file, { force: true })))

/** What wrangler makes of the text. Its paths are relative to the file. */
const read = (text: string) => {
  const file = path.join(ROOT, `wrangler.test-${process.pid}-${written.length}.toml`)
  written.push(file)
  fs.writeFileSync(file, text)
  const { configPath: _, userConfigPath: __, ...config } = readConfig({ config: file }, { hideWarnings: true })
  return config
}

it("the free plan's has no limits, and is else the same", () => {
  const { limits, ...rest } = read(TEXT)
  expect(limits).toEqual({ cpu_ms: 300_000 })
  const { limits: none, ...free } = read(wranglerConfig(TEXT, { free: true }))
  expect(none).toBeUndefined()
  expect(free).toEqual(rest)
})

it("an environment's has its own Worker, database and queues, and the same classes", () => {
  const config = read(wranglerConfig(TEXT, { env: "staging", databaseId: ID, metrics: "perch_staging" }))
  const main = read(TEXT)
  expect(config.name).toBe("perch-staging")
  expect(config.d1_databases).toMatchObject([{ binding: "DB", database_name: "perch-staging", database_id: ID }])
  expect(config.queues.producers).toMatchObject([{ binding: "HOOKS", queue: "perch-staging-hooks" }])
  expect(config.queues.consumers?.map((one: { queue: string }) => one.queue)).toEqual([
    "perch-staging-hooks",
    "perch-staging-hooks-dead",
  ])
  expect(config.queues.consumers?.[0]?.dead_letter_queue).toBe("perch-staging-hooks-dead")
  expect(config.analytics_engine_datasets).toEqual([{ binding: "METRICS", dataset: "perch_staging" }])
  expect([config.durable_objects, config.migrations, config.limits]).toEqual([
    main.durable_objects,
    main.migrations,
    main.limits,
  ])
})

it.each([{ env: "Sta ging" }, { env: 'a"' }])("refuses $env as a name", (options) => {
  expect(() => wranglerConfig(TEXT, options)).toThrow(/--env/)
})

it("refuses two names for one Worker", () => {
  expect(() => wranglerConfig(TEXT, { env: "staging", name: "other" })).toThrow("--env and --name")
})

it("refuses a wrangler.toml that it does not know", () => {
  expect(() => wranglerConfig(TEXT.replace("[limits]", "[limit]"), { free: true })).toThrow(/has 0 lines/)
})

it("a database's id that is none, and an empty data set, are refused", () => {
  expect(() => wranglerConfig(TEXT, { databaseId: 'x"y' })).toThrow("--database-id is an id such as")
  expect(() => wranglerConfig(TEXT, { metrics: "" })).toThrow("--metrics is the name of a data set")
})
