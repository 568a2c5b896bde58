// file as file 5.44 of Debian: names the type of each file, by its content.
// Receives names of files, `-` for standard input; prints a line for each, also for one that can't be opened.
// Invariant: descriptions are those of Debian, some without the details of a format.
import { bytes, type Context, program, readInput, readOptions, stdinOf, why } from "../program.ts"
import { formatOf } from "./formats.ts"
import { encodingOf, textFormat } from "./texts.ts"

const OPTIONS = {
  flags: "bhiLnNprs0",
  values: "Ff",
  long: {
    brief: "b",
    mime: "i",
    "mime-type": "type",
    "mime-encoding": "encoding",
    dereference: "L",
    "no-dereference": "h",
    "no-pad": "N",
    separator: "F=",
    "files-from": "f=",
    "no-buffer": "n",
    "preserve-date": "p",
    raw: "r",
    "special-files": "s",
    print0: "0",
  },
}

interface Type {
  readonly description: string
  readonly mime: string
  /** Null for what has no content, and no charset. */
  readonly charset: string | null
}

const contentType = (content: Buffer): Type => {
  if (content.length === 0) return { description: "empty", mime: "inode/x-empty", charset: "binary" }
  if (content.length === 1)
    return { description: "very short file (no magic)", mime: "application/octet-stream", charset: "binary" }
  const encoding = encodingOf(content)
  return encoding === null
    ? { ...formatOf(content), charset: "binary" }
    : { ...textFormat(content, encoding), charset: encoding.charset }
}

const typeOf = async (name: string, follows: boolean, context: Context): Promise<Type> => {
  const { fs, cwd } = context
  if (name === "-") return contentType(Buffer.from(stdinOf(context), "latin1"))
  try {
    const path = fs.resolvePath(cwd, name)
    const found = follows ? await fs.stat(path) : await fs.lstat(path)
    if (found.isSymbolicLink) {
      const broken = (await fs.exists(path)) ? "" : "broken "
      return {
        description: `${broken}symbolic link to ${await fs.readlink(path)}`,
        mime: "inode/symlink",
        charset: broken === "" ? "binary" : null,
      }
    }
    if (found.isDirectory) return { description: "directory", mime: "inode/directory", charset: "binary" }
    return contentType(Buffer.from(await readInput(context, name), "latin1"))
  } catch (error) {
    const description = `cannot open \`${name}' (${why(error)})`
    return { description, mime: description, charset: null }
  }
}

const USAGE = "Usage: file [-bhiLN0] [--mime-type] [--mime-encoding] [-F SEPARATOR] [-f LIST] FILE...\n"

export const fileProgram = program("file", async (args, context) => {
  const { has, value, operands } = readOptions(args, OPTIONS)
  const list = value("f")
  const names = [
    ...(list === undefined ? [] : (await readInput(context, list)).split("\n").filter((name) => name !== "")),
    ...operands,
  ]
  if (names.length === 0) return bytes("", USAGE, 1)
  const separator = has("0") ? "\0" : ""
  const shown = names.map((name) => `${name === "-" ? "/dev/stdin" : name}${separator}${value("F") ?? ":"}`)
  const width = has("N") || has("0") ? 0 : Math.max(...shown.map(({ length }) => length))
  let stdout = ""
  for (const [at, name] of names.entries()) {
    const { description, mime, charset } = await typeOf(name, has("L"), context)
    const full = charset === null ? mime : `${mime}; charset=${charset}`
    const printed = has("i") ? full : has("type") ? mime : has("encoding") ? (charset ?? mime) : description
    stdout += has("b") ? `${printed}\n` : `${shown[at]?.padEnd(width)} ${printed}\n`
  }
  return { stdout, stderr: "", exitCode: 0 }
})
