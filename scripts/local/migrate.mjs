// Receives the local D1 database and a folder of SQL files; applies the missing files in the order of their names.
// Invariants: a migration is applied completely or not at all, and is recorded as wrangler does (`d1_migrations`), so that
// either can continue where the other stopped. Using wrangler instead takes a separate process and two seconds.
import fs from "node:fs"
import path from "node:path"
import { unstable_splitSqlQuery } from "wrangler"

const TABLE = `CREATE TABLE IF NOT EXISTS "d1_migrations"(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** Applies the missing migrations; rejects with the name of one that could not be applied. */
export const migrate = async (database, folder) => {
  await database.prepare(TABLE).run()
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all()
  const applied = new Set(results.map(({ name }) => name))
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".sql"))
  for (const name of files.toSorted().filter((name) => !applied.has(name))) {
    const statements = unstable_splitSqlQuery(fs.readFileSync(path.join(folder, name), "utf8"))
    const record = database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name)
    try {
      await database.batch([...statements.map((statement) => database.prepare(statement)), record])
    } catch (error) {
      throw new Error(`The D1 migration ${name} could not be applied: ${error.message}`)
    }
  }
}
