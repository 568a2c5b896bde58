// The checks of a deployed Perch by `npm run deploy`, against a real server.
import fs from "node:fs"
import path from "node:path"
import { expect, inject, it } from "vitest"
import { checkDeployment } from "../../../scripts/deploy/check.mjs"

const { url, key } = inject("shared")
const input = { url, hasRootKey: true, patience: { forMs: 0, everyMs: 1 }, onWait: () => {} }
const folder = path.resolve(import.meta.dirname, "../../../migrations")
const last = path.parse(fs.readdirSync(folder).toSorted().at(-1) ?? "").name

it("a working server passes all checks", async () => {
  const { passed, model } = await checkDeployment({ ...input, key, migration: last })
  expect(passed).toHaveLength(4)
  expect(model).toBe("live")
})

it("another root key, and a newer version than the deployed one, are reported", async () => {
  const environment = "PERCH_ROOT_KEY of the environment"
  await expect(checkDeployment({ ...input, key: "x".repeat(40), keyFrom: environment })).rejects.toThrow(environment)
  await expect(checkDeployment({ ...input, migration: "9999_later" })).rejects.toThrow(`${last}, not 9999_later`)
})
