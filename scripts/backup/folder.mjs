// A backup on disk: `sessions/ID.jsonl.gz` with a page per line, and the tenant's data other than sessions.
// Invariant: only their owner can read the files, and each is written completely or not at all.
import { randomUUID } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import readline from "node:readline"
import { pipeline } from "node:stream"
import zlib from "node:zlib"

const sessionFile = (folder, id) => path.join(folder, "sessions", `${id}.jsonl.gz`)

/** Writes the pages of a session; `keep` gives the file its final name. Exports into one folder write different files. */
export const openSession = (folder, id) => {
  const file = sessionFile(folder, id)
  const part = `${file}.${randomUUID()}.part`
  const descriptor = fs.openSync(part, "wx", 0o600)
  let bytes = 0
  let isOpen = true
  const close = () => {
    if (isOpen) fs.closeSync(descriptor)
    isOpen = false
  }
  return {
    // Each line is a separate gzip member, so that only one page is in memory.
    write: (page) => {
      const packed = zlib.gzipSync(`${JSON.stringify(page)}\n`)
      bytes += packed.length
      // Unlike writeSync, it writes all bytes or fails: a full disk takes only some.
      fs.writeFileSync(descriptor, packed)
    },
    keep: () => {
      fs.fsyncSync(descriptor)
      if (!fs.existsSync(part)) throw new Error("a later export into the same folder replaces this one")
      close()
      fs.renameSync(part, file)
      return bytes
    },
    drop: () => {
      close()
      fs.rmSync(part, { force: true })
    },
  }
}

/** Removes what interrupted exports have left. One that still runs reports the sessions that it was writing. */
export const removeParts = (folder) => {
  const sessions = path.join(folder, "sessions")
  for (const name of fs.readdirSync(sessions).filter((one) => one.endsWith(".part")))
    fs.rmSync(path.join(sessions, name), { force: true })
}

/** The pages of a session's file, in order. Rejects with the name of a file that can't be read to its end. */
export async function* readSession(folder, id) {
  const file = sessionFile(folder, id)
  // An error ends the lines. One that comes after a reader has stopped is ignored.
  const input = pipeline(fs.createReadStream(file), zlib.createGunzip(), () => {})
  try {
    for await (const line of readline.createInterface({ input })) yield JSON.parse(line)
  } catch (error) {
    throw new Error(`${file} is damaged (${error.message})`, { cause: error })
  } finally {
    input.destroy()
  }
}

/** Ids of the sessions in a backup. */
export const storedSessions = (folder) => {
  const found = fs.existsSync(path.join(folder, "sessions")) ? fs.readdirSync(path.join(folder, "sessions")) : undefined
  if (found === undefined) throw new Error(`${folder} contains no backup: it has no folder named sessions`)
  return found.flatMap((name) => /^([0-9a-f-]{36})\.jsonl\.gz$/.exec(name)?.[1] ?? []).toSorted()
}

/** The ids of a backup to process, all or the requested ones, and a failure for each requested id that is missing. */
export const chosenSessions = (folder, only) => {
  const stored = storedSessions(folder)
  // A complete export writes this list, also for a tenant without sessions.
  if (stored.length === 0 && !fs.existsSync(path.join(folder, "erased.json")))
    throw new Error(`${folder} contains no backup: its export was interrupted before the first session`)
  if (only === undefined) return { ids: stored, missing: [] }
  const missing = [...only].filter((id) => !stored.includes(id))
  return {
    ids: stored.filter((id) => only.has(id)),
    missing: missing.map((id) => ({ id, message: "the backup has no session with this id" })),
  }
}

export const hasSession = (folder, id) => fs.existsSync(sessionFile(folder, id))
export const removeSession = (folder, id) => fs.rmSync(sessionFile(folder, id), { force: true })

export const writeJson = (folder, name, value) => {
  const part = path.join(folder, `${name}.${randomUUID()}.part`)
  fs.writeFileSync(part, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  fs.renameSync(part, path.join(folder, name))
}

/** A file's JSON; undefined if there is none. */
export const readJson = (folder, name) => {
  const file = path.join(folder, name)
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined
}
