// Which key seals the secrets in backups.
import { expect, it } from "vitest"
import type { Env } from "../../../src/schemas/env.ts"
import { sealingKey } from "../../../src/session/backup/sealing-key.ts"

const keyWith = (settings: Partial<Env>): string => sealingKey({ PERCH_ROOT_KEY: "the root key", ...settings } as Env) // reads only these

it("is the root key unless there is a key of its own; an empty one counts as missing", () => {
  expect(keyWith({})).toBe("the root key")
  expect(keyWith({ PERCH_BACKUP_KEY: "" })).toBe("the root key")
  expect(keyWith({ PERCH_BACKUP_KEY: "its own key" })).toBe("its own key")
})
