// mktemp as in GNU: creates a file or a folder with an unused name.
import { bytes, program, readOptions, UsageError, why } from "./program.ts"

const MKTEMP = {
  flags: "duqt",
  values: "p",
  long: { directory: "d", "dry-run": "u", quiet: "q", suffix: "suffix=", tmpdir: "p=" },
}

export const mktempProgram = program("mktemp", async (args, { fs, cwd, env }) => {
  const temporaryFolder = env.get("TMPDIR") ?? "/tmp"
  // Without a value, `--tmpdir` means the folder for temporary files.
  const given = args.map((arg) => (arg === "--tmpdir" ? `--tmpdir=${temporaryFolder}` : arg))
  const options = readOptions(given, MKTEMP)
  const [template = "tmp.XXXXXXXXXX"] = options.operands
  const [, start, places = ""] = /^([\s\S]*?)(X{3,})$/.exec(template.replace(/(X{3,})[^X]*$/, "$1")) ?? []
  if (start === undefined) throw new UsageError(`too few X's in template '${template}'`)
  const end = template.slice(start.length + places.length) + (options.value("suffix") ?? "")
  const temporary = options.operands.length === 0 || options.has("t") ? temporaryFolder : undefined
  const folder = options.value("p") ?? temporary
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(places.length)), (byte) => (byte % 36).toString(36))
  const name = `${folder === undefined ? "" : `${folder}/`}${start}${letters.join("")}${end}`
  const path = fs.resolvePath(cwd, name)
  try {
    // Of the parent folders, only /tmp is created if it is missing.
    const parent = path.slice(0, path.lastIndexOf("/")) || "/"
    if (parent === "/tmp") await fs.mkdir(parent, { recursive: true })
    else await fs.stat(parent)
    if (options.has("d") && !options.has("u")) await fs.mkdir(path)
    else if (!options.has("u")) await fs.writeFile(path, "")
    if (!options.has("u")) await fs.chmod(path, options.has("d") ? 0o700 : 0o600)
  } catch (error) {
    return bytes("", `mktemp: failed to create file via template '${template}': ${why(error)}\n`, 1)
  }
  return { stdout: `${name}\n`, stderr: "", exitCode: 0 }
})
