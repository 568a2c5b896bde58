// Knows whether the local D1 database in a state folder has all migrations, and copies a migrated database into a new state
// folder: querying or migrating a database loads wrangler, starts a thread and takes a second.
// Invariant: a record applies only to these very files. A database that was replaced or copied is queried, and so is every one
// after a migration, wrangler.toml or a package has changed. A copy contains only what the migrations created.
import fs from "node:fs"
import path from "node:path"
import { contentHash } from "./content-hash.mjs"

/** The inputs that determine a new database, and its location. */
const SOURCES = ["migrations", "wrangler.toml", "package-lock.json"]

const filesIn = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => /\.sqlite(?:-wal)?$/.test(name))
    .toSorted()

/** The identity of the current database files, which a copy does not share. */
const identities = (folder) =>
  filesIn(folder)
    .filter((name) => name.endsWith(".sqlite"))
    .map((name) => {
      const { ino, birthtimeMs } = fs.statSync(path.join(folder, name))
      return { name, ino, birthtimeMs }
    })

/** Copies files that no process is writing. SQLite rebuilds its index of the write-ahead log. */
const copyFiles = (from, to) => {
  for (const name of filesIn(from)) {
    fs.mkdirSync(path.dirname(path.join(to, name)), { recursive: true })
    fs.copyFileSync(path.join(from, name), path.join(to, name))
  }
}

/** The database of the repository at `root` in the folder `state`. */
export const localDatabase = (root, state) => {
  const key = contentHash(root, SOURCES)
  const templates = path.join(root, ".wrangler/databases")
  const template = path.join(templates, key)
  const folder = path.join(state, "v3/d1")
  const record = path.join(state, "v3/migrated.json")
  const now = () => JSON.stringify({ migrations: key, databases: identities(folder) })
  const isNew = !fs.existsSync(folder)

  /** Stored for the next new folder; if the template can't be written, the next start only lacks its copy. */
  const keepTemplate = () => {
    const written = `${template}.${process.pid}`
    try {
      copyFiles(folder, written)
      const older = fs.readdirSync(templates).filter((name) => !name.startsWith(key))
      fs.renameSync(written, template)
      for (const name of older) fs.rmSync(path.join(templates, name), { recursive: true, force: true })
    } catch (error) {
      fs.rmSync(written, { recursive: true, force: true })
      // Another start has written it meanwhile.
      if (!fs.existsSync(template)) console.error(`The new database could not be kept: ${error.message}`)
    }
  }
  return {
    /** Called before the server starts: gives a new state folder its database, if there is one to copy. */
    prepare: () => {
      if (!isNew || !fs.existsSync(template)) return
      try {
        copyFiles(template, folder)
        fs.writeFileSync(record, now())
      } catch {
        // The template was removed meanwhile: the database is created like the first one.
        fs.rmSync(folder, { recursive: true, force: true })
      }
    },
    isMigrated: () => {
      try {
        return fs.readFileSync(record, "utf8") === now()
      } catch {
        // There is no record, or no database yet.
        return false
      }
    },
    /** Called before the server starts, when no process uses the files: the database has all migrations now. */
    migrated: () => {
      fs.writeFileSync(record, now())
      if (isNew) keepTemplate()
    },
  }
}
