// Actors of tests: the holder of a key, with every right or with none.
import { type Actor, ROLES } from "../../../src/schemas/access.ts"

export const NO_RIGHTS: Actor = {
  key: "k",
  roles: [],
  bypass: false,
  files: false,
  generation: 0,
  expires: null,
  checked: 0,
}

export const ALL_RIGHTS: Actor = { ...NO_RIGHTS, roles: [...ROLES], bypass: true, files: true }
