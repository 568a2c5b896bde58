// Which bindings a deployment lacks.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { missingBindings } from "../../src/observe/bindings.ts"
import type { Env } from "../../src/schemas/env.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")

const none = {} as Env // a deployment without any binding
const wranglers = (): ReadonlyArray<string> => {
  const text = fs.readFileSync(path.join(ROOT, "wrangler.toml"), "utf8")
  const names = /^\[\[durable_objects\.bindings\]\]\nname = "(.*)"|^binding = "(.*)"/gm
  return [...text.matchAll(names)].map(([, object, other]) => object ?? other ?? "")
}

it("without any, all bindings of wrangler.toml are missing", () => {
  expect(missingBindings(none).toSorted()).toEqual(wranglers().toSorted())
})

it("one of another type is missing too, and nothing is called", () => {
  const call = () => {
    throw new Error("a binding was called")
  }
  const objects = { getByName: call }
  const env = {
    SESSIONS: objects,
    TENANTS: objects,
    LANES: objects,
    WEBHOOKS: objects,
    WORKFLOWS: objects,
    RECORDINGS: objects,
    DB: { prepare: call },
    HOOKS: { send: call },
    ASSETS: { fetch: call },
  }
  const missing = (changed: object) => missingBindings({ ...env, ...changed } as unknown as Env) // bound by hand
  expect(missing({})).toEqual([])
  expect(missing({ DB: objects, HOOKS: "perch-hooks", ASSETS: undefined })).toEqual(["DB", "HOOKS", "ASSETS"])
})
