// Receives the commands of a shell script, its start directory and its home; returns the absolute paths that the commands name.
// Invariant: an unknown path is reported as the root, so that no rule for the working directory covers it.
import type { ShellStep } from "../../permissions/shell-analysis.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import type { ShellCommand, ShellScript } from "../shell-command.ts"
import { targetCommand } from "./wrappers.ts"

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Commands whose operands are never paths. */
const NO_PATHS = names(
  ": true false echo printf expr seq sleep date which type whoami hostname id uname nproc printenv tr basename dirname git pwd export unset",
)

/** Commands whose operands may all be paths, even if they don't look like paths. */
const ALL_PATHS = names(
  "[ [[ base32 base64 bunzip2 bzip2 cat cd chmod cksum cmp column comm cp csvcut cut dd diff du expand file fold gunzip gzip " +
    "hd head hexdump html-to-markdown join less ln ls md5sum mkdir more mv nl od paste readlink realpath rev rm rmdir " +
    "sha1sum sha224sum sha256sum sha384sum sha512sum shasum shuf sort source split sqlite3 stat strings tac tail tar tee test " +
    "touch tree truncate tsort uncompress unexpand uniq unxz wc xxd xz yq zcat .",
)

/** For some commands, how many operands precede the first path. */
const BEFORE_PATHS: Readonly<Record<string, number>> = {
  awk: 1,
  egrep: 1,
  fgrep: 1,
  gawk: 1,
  grep: 1,
  jq: 1,
  rg: 1,
  sed: 1,
}

/** Commands that may change the paths that they name, even if that does not count as an edit. */
const WRITERS = names(
  "bunzip2 bzip2 chmod chown cp dd gunzip gzip install ln mkdir mv patch rm rmdir rsync sed shuf sort split sqlite3 tar tee " +
    "touch tree truncate tsort uniq unxz unzip xxd xz zip",
)

type Words = ReadonlyArray<string | null>

const home = (word: string): string => (word === "~" || word.startsWith("~/") ? `.${word.slice(1)}` : word)

/** The directory before the first wildcard of a glob, which contains all its matches; null when `..` could leave it. */
const fixedPart = (word: string): string | null => {
  const wild = word.search(/[*?[]/)
  if (wild === -1) return word
  return word.includes("..", wild) ? null : word.slice(0, word.lastIndexOf("/", wild) + 1) || "."
}

const operands = ({ name, globs }: ShellCommand): Words => {
  if (name === "find") {
    const first = globs.findIndex((word) => word === null || word.startsWith("-") || word === "(" || word === "!")
    return first === -1 ? globs : globs.slice(0, first)
  }
  const rest = globs.filter((word) => word === null || !word.startsWith("-"))
  if (name === null) return rest
  if (NO_PATHS.has(name)) return []
  if (ALL_PATHS.has(name)) return rest
  if (Object.hasOwn(BEFORE_PATHS, name)) return rest.slice(BEFORE_PATHS[name])
  return rest.filter((word) => word?.includes("/") === true)
}

/** Every word that could be a path: all operands, and the values of options. */
const anyWords = ({ name, globs }: ShellCommand): Words => {
  if (name !== null && NO_PATHS.has(name)) return []
  return globs.flatMap((word) => {
    if (word === null || !word.startsWith("-")) return [word]
    const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : word.slice(2)
    return value === "" ? [] : [value]
  })
}

const MAX_PLACE = 1000

/** The directory in which commands run after `cd TO`; null if it is not known. */
export const below = (place: string | null, to: string | null): string | null => {
  if (to === null) return null
  if (to.startsWith("/") || to === "~" || to.startsWith("~/")) return to
  return place === null || place.length > MAX_PLACE ? null : `${place}/${to}`
}

/** The directories in which a command may run if a `cd` before it may have changed to an unknown one (null). */
export const withUnknown = (places: ShellCommand["places"]) => [...places.filter((place) => place !== null), null]

/** The absolute path of a directory in which a command may run. */
export const placeOf = (place: string, cwd: string, root: string): string =>
  touchedPath(home(place), place.startsWith("~") ? root : cwd)

/** The absolute paths that a command's words may mean, in any directory where it may run. */
const resolved = (
  { places }: ShellCommand,
  words: Words,
  cwd: string,
  root: string,
  part: (word: string) => string | null,
): ReadonlyArray<string> => {
  const out = new Set<string>()
  for (const word of new Set(words)) {
    const path = word === null ? null : part(home(word))
    for (const place of places) {
      if (word === null || path === null || (place === null && !/^[/~]/.test(word))) out.add("/")
      else out.add(touchedPath(path, word.startsWith("~") ? root : placeOf(place ?? ".", cwd, root)))
    }
  }
  return Array.from(out)
}

const whole = (word: string): string => word

/** A segment that matches all names, or all names that start with a dot. */
const EVERYTHING = /^(?=.*[*?[])(?:[*?.]|\[[^\]]*\])+$/

/** A glob for everything in a directory counts as the directory. */
export const withoutEverything = (path: string): string => {
  const segments = path.split("/")
  while (EVERYTHING.test(segments.at(-1) ?? "")) segments.pop()
  return segments.join("/") || "/"
}

const REMOVERS = names("mv rm rmdir unlink")

/** Programs whose calls are asked about if an operand is a pattern (`rm *.txt`), as in the official SDK. */
const BY_NAME_ONLY = names("cp mkdir mv rm rmdir sed tee touch")
const GLOB = /[*?[]/
const TARGET_OPTION = /^(?:-[a-zA-Z]*t|--target-directory)/

const isGlob = (word: string | null): boolean => word !== null && GLOB.test(word)

/** The operands of a command, for mv and cp without the last one if that is the target. */
const sources = (command: ShellCommand): Words => {
  const all = operands(command)
  const named = command.globs.some((word) => word !== null && TARGET_OPTION.test(word))
  return named || (command.name !== "mv" && command.name !== "cp") ? all : all.slice(0, -1)
}

export type CommandPaths = Pick<
  ShellStep,
  "paths" | "changes" | "glob" | "removes" | "copies" | "mentions" | "from" | "to"
>

const MAX_PATHS = 200

/** The absolute paths of one command, grouped by how the command uses them. */
export const commandPaths = (given: ShellCommand, cwd: string, root = cwd): CommandPaths => {
  const command = targetCommand(given)
  const named = operands(command)
  const paths = named.length > MAX_PATHS ? ["/"] : resolved(command, named, cwd, root, fixedPart)
  const removes =
    command.name !== null && REMOVERS.has(command.name)
      ? resolved(command, sources(command), cwd, root, whole).map(withoutEverything)
      : []
  const glob = command.name !== null && BY_NAME_ONLY.has(command.name) ? named.find(isGlob) : undefined
  const [directory = "/"] = glob === undefined ? [] : resolved(command, [glob], cwd, root, fixedPart)
  return {
    ...(typeof glob === "string" ? { glob: { text: glob, directory } } : {}),
    paths,
    changes: command.name !== null && WRITERS.has(command.name) ? paths : [],
    removes,
    copies: command.name === "cp" ? resolved(command, sources(command), cwd, root, fixedPart) : [],
    mentions: resolved(command, anyWords(command), cwd, root, whole),
    from: resolved(command, command.from, cwd, root, whole),
    to: resolved(command, command.to, cwd, root, whole),
  }
}

/** The absolute paths that the script names, considering each preceding `cd`; only the root when there are more than 200. */
export const pathsOf = (script: ShellScript, cwd: string, root = cwd): ReadonlyArray<string> => {
  const out = new Set<string>()
  for (const command of script.commands) {
    const { paths, from, to } = commandPaths(command, cwd, root)
    for (const path of [...paths, ...from, ...to]) out.add(path)
    if (out.size > MAX_PATHS) return ["/"]
  }
  return Array.from(out)
}
