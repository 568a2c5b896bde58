// Receives a tool call; returns what permission rules are compared with: each file under every name, each command of a
// script, a URL, a name, else `*`.
// Invariant: a path outside the session's directories is also a subject of `external_directory`; a path is never judged by
// its spelling alone.
import { permissionOf } from "../../schemas/sdk/tools/permission-names.ts"
import type { JudgedCall } from "../decide.ts"
import { isInside } from "../places.ts"
import type { Policy } from "../policy.ts"
import { analysisOf, type ShellAnalysis, type ShellStep } from "../shell-analysis.ts"
import type { Subject } from "./ruleset.ts"

const NO_TEXTS: ReadonlyArray<string> = []

/** The composed (NFC) form of a name that is in another form: some file systems treat the two as the same name. */
const composed = (text: string): ReadonlyArray<string> => {
  const form = text.normalize("NFC")
  return form === text ? NO_TEXTS : [form]
}

/** The subject for one file. `path` is absolute. */
export const placeOf = (
  permission: string,
  path: string,
  cwd: string,
  loose: ReadonlyArray<string> = NO_TEXTS,
): Subject => {
  const inside = path === cwd ? "." : path.startsWith(cwd === "/" ? "/" : `${cwd}/`) ? below(path, cwd) : undefined
  return {
    permission,
    text: path,
    ...(inside === undefined ? {} : { also: inside }),
    loose: [...loose, ...composed(path), ...(inside === undefined ? NO_TEXTS : composed(inside))],
  }
}

const below = (path: string, cwd: string): string => path.slice(cwd === "/" ? 1 : cwd.length + 1)

const textSubject = (permission: string, text: string, loose: ReadonlyArray<string> = NO_TEXTS): Subject => ({
  permission,
  text,
  loose: [...loose, ...composed(text)],
})

/**
 * The subject for a URL, as it was written and as it is requested: with its host in lower case and without trailing dots,
 * without the default port, and over https.
 */
export const addressOf = (url: string): Subject => {
  if (!URL.canParse(url)) return textSubject("webfetch", url)
  const parsed = new URL(url)
  parsed.hostname = parsed.hostname.replace(/\.+$/, "")
  const { href } = parsed
  return { permission: "webfetch", text: url, also: href, loose: [href.replace(/^http:/, "https:")] }
}

/** The subjects of a call that runs no script. */
export const subjectsOf = (call: JudgedCall): ReadonlyArray<Subject> => {
  const permission = permissionOf(call.toolName)
  const { cwd, subject, search, spelled = NO_TEXTS } = call
  // The subject of a search is the path that it names; without a path it is the search pattern.
  if (search !== undefined && spelled.length === 0) return [textSubject(permission, search, call.paths)]
  if (call.paths.length > 0) {
    const loose = search === undefined ? spelled : [...spelled, search]
    return call.paths.map((path) => placeOf(permission, path, cwd, loose))
  }
  return [
    permission === "webfetch" && subject !== undefined ? addressOf(subject) : textSubject(permission, subject ?? "*"),
    ...(call.continues === undefined ? [] : [textSubject("task", call.continues)]),
  ]
}

/** One command of a script; the whole script is another spelling of it. */
export const commandOf = (step: Pick<ShellStep, "text" | "hidden">, script: string): Subject =>
  textSubject("bash", step.text, [...step.hidden, script])

/** The files that a script may read or change, as far as its words show. */
export const filesOf = ({
  steps,
  cwd,
}: Pick<ShellAnalysis, "steps"> & Pick<JudgedCall, "cwd">): ReadonlyArray<Subject> =>
  steps.flatMap(({ mentions, from, changes, to }) => [
    ...[...mentions, ...from].map((path) => placeOf("read", path, cwd)),
    ...[...changes, ...to].map((path) => placeOf("edit", path, cwd)),
  ])

/** The call's paths outside the session's directories. */
export const outsideOf = (call: JudgedCall, policy: Policy): ReadonlyArray<Subject> => {
  const paths =
    call.command === undefined
      ? call.paths
      : analysisOf(call).steps.flatMap(({ paths: named, from, to }) => [...named, ...from, ...to])
  return paths
    .filter((path) => !isInside(path, call.cwd, policy))
    .map((path) => placeOf("external_directory", path, call.cwd, call.spelled))
}
