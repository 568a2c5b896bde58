// The settings of `npm start`: every name that README.md documents reaches the Worker, and no other does.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { expect, it } from "vitest"
import { FROM_ENVIRONMENT } from "../../../scripts/setting-names.mjs"
import { loadSettings } from "../../../scripts/local/settings.mjs"

const ROOT = path.resolve(import.meta.dirname, "../../..")

/** The names in the first column of the tables under "Configuration" in README.md and "Settings" in docs/production.md. */
const documented = (): ReadonlyArray<string> =>
  [
    ["README.md", "Configuration"],
    ["docs/production.md", "Settings"],
  ].flatMap(([page = "", title = ""]) => {
    const sections = fs.readFileSync(path.join(ROOT, page), "utf8").split(/^## /m)
    const section = sections.find((part) => part.startsWith(`${title}\n`)) ?? ""
    return [...section.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name!)
  })

it("the pages document the settings that npm start takes from the environment, each once, and only those", () => {
  expect(documented().toSorted()).toEqual([...FROM_ENVIRONMENT].toSorted())
})

it("each setting of the Worker's environment is one of them, or is made by npm start", () => {
  const env = fs.readFileSync(path.join(ROOT, "src/schemas/env.ts"), "utf8")
  const names = [...env.matchAll(/readonly ((?:PERCH|ANTHROPIC|OPENAI)_[A-Z_]+)\?:/g)].map(([, name]) => name!)
  expect(names.filter((name) => !name.startsWith("PERCH_LOCAL_")).toSorted()).toEqual([...FROM_ENVIRONMENT].toSorted())
})

it.each([...FROM_ENVIRONMENT])("%s of the environment reaches the server", (name) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-settings-"))
  try {
    const environment = { PERCH_ROOT_KEY: "a-root-key", [name]: "a value" }
    expect(loadSettings(folder, environment).vars[name]).toBe("a value")
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})
