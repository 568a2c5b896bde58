// Backups are sealed with their own key if it is set and not empty, otherwise with the root key.
import { expect, it } from "vitest"
import type { Env } from "../../../src/schemas/env.ts"
import { sealingKey } from "../../../src/session/backup/sealing-key.ts"

const keyWith = (settings: Partial<Env>): string => sealingKey({ PERCH_ROOT_KEY: "the root key", ...settings } as Env) // reads only these

it("is the root key unless there is a key of its own; an empty one counts as missing", () => {
  expect(keyWith({})).toBe("the root key")
  expect(keyWith({ PERCH_BACKUP_KEY: "" })).toBe("the root key")
  expect(keyWith({ PERCH_BACKUP_KEY: "its own key" })).toBe("its own key")
})
