// The key that backups are sealed with.
import type { Env } from "../../schemas/env.ts"

/** Backups are sealed with a key of their own, or with the root key. An empty setting counts as missing. */
export const sealingKey = ({ PERCH_BACKUP_KEY: own, PERCH_ROOT_KEY: root = "" }: Env): string => own || root
