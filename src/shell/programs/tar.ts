// tar as in GNU: -c, -x and -t, with -z, -v, -C, -O, --exclude and --strip-components, for files, directories and links.
// Invariant: entries are only unpacked below the target directory; an archive is kept in memory, up to a limit.
import { gunzipSync, gzipSync } from "node:zlib"
import { packTar, type ParsedTarEntryWithData, type TarEntry, unpackTar } from "modern-tar"
import type { ExecResult } from "just-bash/browser"
import { globMatcher } from "../syntax/patterns.ts"
import {
  bytes,
  type Context,
  type Options,
  program,
  readOptions,
  spendLines,
  stdinOf,
  UsageError,
  why,
} from "./program.ts"

const TAR = {
  flags: "cxtzvpkaO",
  values: "fC",
  long: {
    create: "c",
    extract: "x",
    get: "x",
    list: "t",
    gzip: "z",
    verbose: "v",
    "to-stdout": "O",
    "auto-compress": "a",
    file: "f=",
    directory: "C=",
    "strip-components": "strip=",
    exclude: "exclude=",
  },
}

const BLOCK = 512
const PERMISSIONS = "rwxrwxrwx"
/** Entries with longer names are not unpacked. */
const MAX_NAME = 4096

/** Expands a first word without a hyphen: its letters take their values from the words after it, in order. */
const spelled = ([first = "", ...rest]: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (first.startsWith("-") || first === "") return [first, ...rest]
  const words = [...rest]
  return [
    ...Array.from(first, (letter) => (/[fC]/.test(letter) ? [`-${letter}`, words.shift() ?? ""] : [`-${letter}`])),
    words,
  ].flat()
}

/** Whether `--exclude` skips a name: a pattern matches the name, or its end after a slash, and everything below. */
const exclusion = (options: Options, context: Context): ((name: string) => boolean) => {
  const matchers = options.all("exclude").map((pattern) => globMatcher(pattern.replace(/\/+$/, ""), false))
  if (matchers.length === 0) return () => false
  return (name) => {
    const parts = name.replace(/\/+$/, "").split("/")
    const ends = parts.flatMap((_, to) => parts.slice(0, to + 1).map((__, from) => parts.slice(from, to + 1).join("/")))
    spendLines(context, "tar", ends.length * matchers.length)
    return matchers.some((matches) => ends.some((end) => end !== "" && matches(end)))
  }
}

interface Packing {
  readonly excluded: (name: string) => boolean
  readonly context: Context
  readonly root: string
  readonly entries: Array<TarEntry>
  /** The path of the archive, which is not packed into itself. */
  readonly skip: string
  left: number
  /** Messages about files that could not be read. */
  readonly errors: Array<string>
}

const pack = async (packing: Packing, shown: string): Promise<void> => {
  const { context, root, entries, skip } = packing
  const path = context.fs.resolvePath(root, shown)
  if (path === skip || packing.excluded(shown)) return
  const found = await context.fs.lstat(path)
  packing.left -= BLOCK + (found.isFile ? found.size : 0)
  if (packing.left < 0) throw new UsageError("the archive would be too large")
  const name = shown.replace(/^\/+/, "")
  const header = { mode: found.mode & 0o7777, mtime: found.mtime, size: 0 }
  if (found.isSymbolicLink) {
    const linkname = await context.fs.readlink(path)
    entries.push({ header: { ...header, name, type: "symlink", linkname } })
  } else if (found.isDirectory) {
    entries.push({ header: { ...header, name: `${name.replace(/\/+$/, "")}/`, type: "directory" } })
    const names = await context.fs.readdir(path)
    for (const inner of names.toSorted()) await pack(packing, `${shown.replace(/\/+$/, "")}/${inner}`)
  } else {
    const body = await context.fs.readFileBuffer(path).catch((error: unknown) => {
      packing.errors.push(`tar: ${shown}: Cannot open: ${why(error)}\n`)
    })
    // As in tar, files that can't be read are skipped.
    if (body === undefined) return
    entries.push({ header: { ...header, name, type: "file", size: body.length }, body })
  }
}

const create = async (options: Options, context: Context, root: string): Promise<ExecResult> => {
  if (options.operands.length === 0) throw new UsageError("Cowardly refusing to create an empty archive")
  const file = options.value("f") ?? "-"
  const skip = file === "-" ? "" : context.fs.resolvePath(context.cwd, file)
  const entries: Array<TarEntry> = []
  const packing = {
    excluded: exclusion(options, context),
    context,
    root,
    entries,
    skip,
    left: context.limits.maxArchiveBytes,
    errors: [],
  }
  let stderr = ""
  for (const name of options.operands) {
    try {
      await pack(packing, name)
    } catch (error) {
      if (error instanceof UsageError) throw error
      stderr += `tar: ${name}: Cannot stat: ${why(error)}\n`
    }
  }
  stderr = packing.errors.join("") + stderr
  const plain = await packTar(entries)
  context.executionScope?.consumeInput(plain.length, "tar")
  const zipped = options.has("z") || (options.has("a") && /\.t?gz$/.test(file))
  const archive = zipped ? new Uint8Array(gzipSync(plain)) : plain
  const names = options.has("v") ? entries.map(({ header }) => `${header.name}\n`).join("") : ""
  if (stderr !== "") stderr += "tar: Exiting with failure status due to previous errors\n"
  const exitCode = stderr === "" ? 0 : 2
  if (file === "-") return bytes(Buffer.from(archive).toString("latin1"), names + stderr, exitCode)
  await context.fs.writeFile(skip, archive)
  return bytes(names, stderr, exitCode)
}

const read = async (options: Options, context: Context): Promise<ReadonlyArray<ParsedTarEntryWithData>> => {
  const file = options.value("f") ?? "-"
  let archive: Uint8Array
  try {
    const path = context.fs.resolvePath(context.cwd, file)
    archive = file === "-" ? Buffer.from(stdinOf(context), "latin1") : await context.fs.readFileBuffer(path)
  } catch (error) {
    throw new UsageError(`${file}: Cannot open: ${why(error)}`)
  }
  try {
    const gzip = archive[0] === 0x1f && archive[1] === 0x8b
    // As in tar, the format is detected, but `-z` requires gzip.
    if (options.has("z") && !gzip) throw new UsageError("not in gzip format")
    const plain = gzip ? gunzipSync(archive, { maxOutputLength: context.limits.maxArchiveBytes }) : archive
    context.executionScope?.consumeInput(plain.length, "tar")
    return await unpackTar(new Uint8Array(plain), { strict: true })
  } catch (error) {
    throw new UsageError(`${file}: This does not look like a tar archive, or is too large: ${why(error)}`)
  }
}

/** The path of an entry below the target directory; null if the entry is not unpacked. */
const placeOf = (name: string, strip: number): string | null => {
  if (name.length > MAX_NAME) return null
  const parts = name.split("/").filter((part) => part !== "" && part !== ".")
  return parts.includes("..") || parts.length <= strip ? null : parts.slice(strip).join("/")
}

const unpack = async ({ header, data }: ParsedTarEntryWithData, path: string, { fs }: Context): Promise<void> => {
  if (header.type === "directory") return fs.mkdir(path, { recursive: true })
  const folder = path.slice(0, path.lastIndexOf("/"))
  await fs.mkdir(folder === "" ? "/" : folder, { recursive: true })
  const found = await fs.lstat(path).catch(() => null)
  if (found !== null && !found.isFile) await fs.rm(path, { force: true })
  if (header.type === "symlink") return fs.symlink(header.linkname ?? "", path)
  if (header.type !== "file") throw new Error(`it is a ${header.type ?? "thing"} that can't be made here`)
  await fs.writeFile(path, data ?? new Uint8Array(0))
  await fs.chmod(path, (header.mode ?? 0o644) & 0o777)
  if (header.mtime !== undefined) await fs.utimes(path, header.mtime, header.mtime)
}

/** The least width of owner, group and size in a line of `-tv`; a wider one widens those after it. */
const OWNER_WIDTH = 19
const OWNER = "user/user"

/** Prints the entries for `-tv`. */
class Listing {
  #width = OWNER_WIDTH

  line({ header: { name, type, mode = 0o644, size = 0, mtime, linkname } }: ParsedTarEntryWithData): string {
    const kind = type === "directory" ? "d" : type === "symlink" ? "l" : "-"
    const letters = Array.from(PERMISSIONS, (letter, at) => ((mode >> (8 - at)) & 1 ? letter : "-")).join("")
    const length = OWNER.length + 1 + String(size).length
    this.#width = Math.max(this.#width, length)
    const time = (mtime ?? new Date(0)).toISOString().slice(0, 16).replace("T", " ")
    const target = type === "symlink" ? ` -> ${linkname ?? ""}` : ""
    return `${kind}${letters} ${OWNER} ${String(size).padStart(this.#width - OWNER.length - 1)} ${time} ${name}${target}`
  }
}

const take = async (options: Options, context: Context, root: string): Promise<ExecResult> => {
  const wanted = options.operands.map((name) => name.replace(/\/+$/, ""))
  const met = new Set<string>()
  const strip = Number(options.value("strip") ?? 0)
  const excluded = exclusion(options, context)
  const listing = new Listing()
  let [stdout, stderr] = ["", ""]
  for (const entry of await read(options, context)) {
    const { name } = entry.header
    const bare = name.replace(/\/+$/, "")
    const by = wanted.find((one) => bare === one || bare.startsWith(`${one}/`))
    if ((wanted.length > 0 && by === undefined) || excluded(name)) continue
    if (by !== undefined) met.add(by)
    if (options.has("t") || options.has("v")) {
      const shown = options.has("t") && options.has("v") ? listing.line(entry) : name
      stdout += `${Buffer.from(shown).toString("latin1")}\n`
    }
    const place = placeOf(name, strip)
    if (options.has("t") || place === null) {
      if (name.split("/").includes("..")) stderr += `tar: ${name}: Member name contains '..'\n`
    } else if (options.has("O")) stdout += Buffer.from(entry.data ?? []).toString("latin1")
    else {
      try {
        await unpack(entry, context.fs.resolvePath(root, place), context)
      } catch (error) {
        stderr += `tar: ${name}: Cannot open: ${why(error)}\n`
      }
    }
  }
  for (const one of wanted) if (!met.has(one)) stderr += `tar: ${one}: Not found in archive\n`
  if (stderr === "") return bytes(stdout)
  return bytes(stdout, `${stderr}tar: Exiting with failure status due to previous errors\n`, 2)
}

export const tarProgram = program(
  "tar",
  async (args, context) => {
    const options = readOptions(spelled(args), TAR)
    const modes = ["c", "x", "t"].filter((mode) => options.has(mode))
    if (modes.length !== 1) throw new UsageError("You must specify one of the '-ctx' options")
    const root = context.fs.resolvePath(context.cwd, options.value("C") ?? ".")
    if (!(await context.fs.exists(root)))
      throw new UsageError(`${options.value("C")}: Cannot open: No such file or directory`)
    return options.has("c") ? create(options, context, root) : take(options, context, root)
  },
  2,
)
