// Receives D1; returns whether it has the migrations that this version of Perch needs.
// Invariant: it only reads. A database whose migrations were applied by hand, without wrangler's table of them, is accepted.
import { LAST_MIGRATION } from "../schemas/version.ts"

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('d1_migrations', 'api_keys')"
const LAST = "SELECT max(name) AS name FROM d1_migrations"

/** False for a database that lacks a migration, and for an empty one. */
export const hasMigrations = async (db: D1Database): Promise<boolean> => {
  const { results } = await db.prepare(TABLES).all<{ name: string }>()
  const tables = results.map(({ name }) => name)
  if (!tables.includes("d1_migrations")) return tables.includes("api_keys")
  const last = await db.prepare(LAST).first<{ name: string | null }>()
  // Migrations are named by number: one later than ours means that a newer Perch has migrated the database.
  return (last?.name ?? "") >= `${LAST_MIGRATION}.sql`
}
