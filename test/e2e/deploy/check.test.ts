// The questions that `npm run deploy` asks a deployed Perch, asked of a real server.
import fs from "node:fs"
import path from "node:path"
import { expect, inject, it } from "vitest"
import { checkDeployment } from "../../../scripts/deploy/check.mjs"

const { url, key } = inject("shared")
const input = { url, hasRootKey: true, patience: { forMs: 0, everyMs: 1 }, onWait: () => {} }
const folder = path.resolve(import.meta.dirname, "../../../migrations")
const last = path.parse(fs.readdirSync(folder).toSorted().at(-1) ?? "").name

it("a server that works passes them all", async () => {
  const { passed, model } = await checkDeployment({ ...input, key, migration: last })
  expect(passed).toHaveLength(4)
  expect(model).toBe("live")
})

it("another root key, and a newer version than the one that answers, are named", async () => {
  const environment = "PERCH_ROOT_KEY of the environment"
  await expect(checkDeployment({ ...input, key: "x".repeat(40), keyFrom: environment })).rejects.toThrow(environment)
  await expect(checkDeployment({ ...input, migration: "9999_later" })).rejects.toThrow(`${last}, not 9999_later`)
})
