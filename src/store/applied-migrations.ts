// Whether D1 has the migrations that this Perch was made for.
// Invariant: it reads. A database whose migrations were applied by hand, without wrangler's table of them, is not refused.
import { LAST_MIGRATION } from "../schemas/version.ts"

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('d1_migrations', 'api_keys')"
const LAST = "SELECT max(name) AS name FROM d1_migrations"

/** False for a database that lacks a migration, and for an empty one. */
export const hasMigrations = async (db: D1Database): Promise<boolean> => {
  const { results } = await db.prepare(TABLES).all<{ name: string }>()
  const tables = results.map(({ name }) => name)
  if (!tables.includes("d1_migrations")) return tables.includes("api_keys")
  const last = await db.prepare(LAST).first<{ name: string | null }>()
  // Files are named by number: a later one than ours is a database that a newer Perch has used.
  return (last?.name ?? "") >= `${LAST_MIGRATION}.sql`
}
