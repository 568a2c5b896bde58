// The command line: `perch push|pull|ls SESSION [DIR]`.
// Invariant: the exit code is 0 when everything was done, 3 when something was left out or is in conflict, 1 when the command
// failed, 2 when the command line is wrong. An error is one line on stderr.
import { parseArgs } from "node:util"
import { PerchError } from "../api/perch-error.ts"
import { perchClient } from "../api/perch-client.ts"
import type { TransportOptions } from "../api/transport.ts"
import { TooLargeError } from "../files/push.ts"
import { expectFolder } from "../files/remote-tree.ts"
import { reportLines } from "../files/report-lines.ts"
import { type FolderSync, isWorkspacePath, pull, push } from "../files/sync.ts"
import { fetchOf } from "./local-fetch.ts"
import { messageOf } from "../api/message-of.ts"

export const EXIT = { done: 0, failed: 1, usage: 2, partly: 3 } as const

/** Options that do not apply to a command, and are then refused. */
const NOT_FOR = {
  push: [],
  pull: ["include", "no-gitignore"],
  ls: ["remote", "include", "ignore", "no-gitignore", "force", "dry-run", "verbose"],
} as const

/** The arguments, environment and output functions of a command. */
export interface CommandLine {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: (line: string) => void
  readonly error: (line: string) => void
  readonly signal?: AbortSignal
}

const HELP = `perch: files of a Perch session

  perch push SESSION [DIR]   sends what changed in DIR (here) into the session
  perch pull SESSION [DIR]   brings what changed in the session into DIR (here)
  perch ls   SESSION [PATH]  lists the session's files at or below PATH

Options
  --url URL         the server (PERCH_URL; http://127.0.0.1:8787)
  --api-key KEY     a key of it (PERCH_API_KEY, or PERCH_KEY)
  --remote PATH     the folder in the session (its working directory)
  --include PATTERN push only what matches; may be repeated
  --ignore PATTERN  more to ignore, "!PATTERN" to take something back in; may be repeated
  --no-gitignore    push what .gitignore files ignore too
  --force           take this side's version where both sides changed
  --dry-run         report what would be done, and do nothing
  --verbose         name every file
  --json            the report, or the list, as JSON
  --help            this text

Patterns are written as in .gitignore. .git and .perch never travel.
Exit codes: 0 done, 1 failed, 2 not understood, 3 done except for what is listed as left out or in conflict.`

const OPTIONS = {
  url: { type: "string" },
  "api-key": { type: "string" },
  remote: { type: "string" },
  include: { type: "string", multiple: true },
  ignore: { type: "string", multiple: true },
  "no-gitignore": { type: "boolean" },
  force: { type: "boolean" },
  "dry-run": { type: "boolean" },
  verbose: { type: "boolean", short: "v" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const

export const runCommand = async (line: CommandLine): Promise<number> => {
  const parsed = parse(line.args)
  if (typeof parsed === "string") return usage(line, parsed)
  const { values, positionals } = parsed
  const [command, session, place, ...more] = positionals
  if (values.help === true || command === "help") {
    line.out(HELP)
    return EXIT.done
  }
  if (command === undefined) return usage(line, "a command is missing: push, pull or ls")
  if (command !== "push" && command !== "pull" && command !== "ls")
    return usage(line, `there is no command ${JSON.stringify(command)}; there are push, pull and ls`)
  const unused = NOT_FOR[command].find((name) => values[name] !== undefined)
  if (unused !== undefined) return usage(line, `--${unused} is not for ${command}`)
  if (session === undefined) return usage(line, "the session's id is missing")
  if (more.length > 0) return usage(line, `too many arguments: ${more.join(" ")}`)
  const apiKey = values["api-key"] ?? (line.env["PERCH_API_KEY"] || line.env["PERCH_KEY"] || "")
  if (apiKey === "") return usage(line, "a key is needed: set PERCH_API_KEY, or give --api-key")
  const url = values.url ?? (line.env["PERCH_URL"] || "http://127.0.0.1:8787")
  const server = { url, apiKey, fetch: fetchOf(url) }
  try {
    const stop = line.signal === undefined ? {} : { signal: line.signal }
    return command === "ls"
      ? await list(line, { ...server, ...stop }, session, place, values.json === true)
      : await sync(
          line,
          command,
          { ...server, ...stop, sessionId: session, folder: place ?? ".", ...chosen(values) },
          values,
        )
  } catch (error) {
    line.error(`perch: ${explained(error, session)}`)
    return error instanceof TypeError ? EXIT.usage : EXIT.failed
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>["values"]

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    // parseArgs throws only Node's own errors about the arguments.
    return messageOf(error)
  }
}

const chosen = (values: Values): Partial<FolderSync> => ({
  ...(values.remote === undefined ? {} : { remote: values.remote }),
  ...(values.include === undefined ? {} : { include: values.include }),
  ...(values.ignore === undefined ? {} : { ignore: values.ignore }),
  ...(values["no-gitignore"] === true ? { gitignore: false } : {}),
  ...(values.force === undefined ? {} : { force: values.force }),
  ...(values["dry-run"] === undefined ? {} : { dryRun: values["dry-run"] }),
})

const sync = async (
  line: CommandLine,
  command: "push" | "pull",
  options: FolderSync,
  values: Values,
): Promise<number> => {
  const report = await (command === "push" ? push : pull)(options)
  if (values.json === true) line.out(JSON.stringify(report))
  else {
    const verb = command === "push" ? "sent" : "brought back"
    for (const text of reportLines(report, verb, options.dryRun, values.verbose)) line.out(text)
  }
  return report.leftOut.length > 0 || report.conflicts.length > 0 ? EXIT.partly : EXIT.done
}

const list = async (
  line: CommandLine,
  server: TransportOptions & { readonly signal?: AbortSignal },
  session: string,
  prefix: string | undefined,
  json: boolean,
): Promise<number> => {
  const client = perchClient(server).session(session)
  const asked = server.signal === undefined ? {} : { signal: server.signal }
  const given = prefix ?? (await client.get(asked)).cwd
  const path = given.length > 1 ? given.replace(/\/+$/, "") : given
  if (!isWorkspacePath(path))
    throw new TypeError(`PATH must be absolute, without . and .. in it. Got ${JSON.stringify(given)}.`)
  let isEmpty = true
  for await (const file of client.files.all({ prefix: path, ...asked })) {
    isEmpty = false
    if (json) line.out(JSON.stringify(file))
    else
      line.out(
        `${modeText(file.type, file.mode)} ${String(file.size).padStart(9)} ${file.modified_at} ${file.path}${file.target === undefined ? "" : ` -> ${file.target}`}`,
      )
  }
  if (isEmpty) await expectFolder(client.files, path, server.signal)
  return EXIT.done
}

const modeText = (type: string, mode: number): string => {
  const bits = [6, 3, 0].map((at) => {
    const three = (mode >> at) & 7
    return `${three & 4 ? "r" : "-"}${three & 2 ? "w" : "-"}${three & 1 ? "x" : "-"}`
  })
  return `${type === "directory" ? "d" : type === "symlink" ? "l" : "-"}${bits.join("")}`
}

const usage = (line: CommandLine, why: string): number => {
  line.error(`perch: ${why}`)
  line.error("Run perch --help to see how it is used.")
  return EXIT.usage
}

const explained = (error: unknown, session: string): string => {
  if (error instanceof PerchError) {
    const id = error.request_id === undefined ? "" : ` (request ${error.request_id})`
    if (error.type === "not_found_error") return `${error.message}: ${session}${id}`
    if (error.type === "authentication_error") return `${error.message}${id}. Is PERCH_API_KEY a key of this server?`
    return `${error.message}${id}`
  }
  if (error instanceof TooLargeError) return error.message
  if (error instanceof Error && error.name === "AbortError") return "stopped"
  return messageOf(error)
}
