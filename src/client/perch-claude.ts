#!/usr/bin/env node
// An executable for software that can only be configured with one: it exchanges the official process's lines on stdin and
// stdout, and relays them to and from the Perch server that its environment names.
// Invariant: nothing but those lines is written to stdout; warnings and errors go to stderr.
import { readFileSync } from "node:fs"
import { TIMING } from "./connection.ts"
import { SessionFolders } from "./files/session-folders.ts"
import { PerchProcess } from "./process.ts"
import { PerchServer } from "./server.ts"
import { messageOf } from "./api/message-of.ts"

const USAGE = `perch-claude: runs a session of the Claude Agent SDK on a Perch server, in the place of the local executable.

  PERCH_URL              the server's address, such as https://perch.example.workers.dev
  PERCH_API_KEY          a key of that server
  PERCH_API_KEY_FILE     a file that holds the key, instead of PERCH_API_KEY
  PERCH_UPLOAD           1: the files of the working directory are sent to the session before it begins
  PERCH_DOWNLOAD         1: what its turns changed is brought back
  PERCH_TRANSCRIPTS      0: no copy of the conversation on this machine, where listSessions and the like look for it

Give this file to the SDK as options.pathToClaudeCodeExecutable, or to software built on it by its own setting, such as
CLAUDE_CODE_EXECUTABLE. Arguments are those of the SDK.`

/** The output of `--version`, which some programs check before they start the executable. */
const VERSION = "2.1.330 (Perch)"

const warn = (text: string): void => void process.stderr.write(`perch-claude: ${text}\n`)

/** The key; an empty variable counts as missing. Throws when the file that should hold it can't be read. */
const keyOf = ({ PERCH_API_KEY: key, PERCH_API_KEY_FILE: file }: NodeJS.ProcessEnv): string | undefined => {
  if (key) return key
  if (!file) return undefined
  try {
    return readFileSync(file, "utf8").trim()
  } catch (error) {
    throw new Error(`PERCH_API_KEY_FILE names a file that can't be read: ${messageOf(error)}`)
  }
}

const hasKey = (): boolean => {
  try {
    return Boolean(keyOf(process.env))
  } catch (error) {
    warn(messageOf(error))
    return false
  }
}

const run = (args: Array<string>): void => {
  const url = process.env.PERCH_URL
  const apiKey = keyOf(process.env)
  if (!url || !apiKey) {
    warn("PERCH_URL and PERCH_API_KEY must be set in the environment of the program that starts it.")
    process.exitCode = 1
    return
  }
  // The server has no use for the key's variables, and no other program may see them.
  const { PERCH_API_KEY: _key, PERCH_API_KEY_FILE: _file, ...env } = process.env
  const { PERCH_TRANSCRIPTS: transcripts, PERCH_UPLOAD: upload, PERCH_DOWNLOAD: download } = process.env
  const spawn = { args, cwd: process.cwd(), env, signal: new AbortController().signal }
  const session = new PerchProcess(new PerchServer(url, apiKey), spawn, undefined, TIMING, {
    folders: new SessionFolders({ url, apiKey, upload: upload === "1", download: download === "1" }),
    transcripts: transcripts !== "0",
    // As the official process, for programs that read its stderr.
    failed: (message) => void process.stderr.write(`${message}\n`),
  })
  process.stdin.pipe(session.stdin)
  session.stdin.on("error", () => process.stdin.unpipe())
  session.stdout.pipe(process.stdout)
  let lost = false
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    // The reader of stdout may have closed the pipe; then nothing is left to do, and that is no error.
    if (code !== "EPIPE" && !lost) {
      lost = true
      warn(`stdout can't be written: ${message}`)
    }
    session.kill("SIGTERM")
  })
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => session.kill("SIGTERM"))
  session.once("error", (error: Error) => warn(error.message))
  session.once("exit", (code, signal) => {
    const status = code ?? (signal === null ? 1 : 137)
    // Exits only when everything written to stdout has been flushed, or could not be.
    process.stdout.write("", () => process.exit(lost && status === 0 ? 1 : status))
  })
}

/** The output of `auth status`, which programs read to decide whether to ask for a sign-in: an address and a key are enough. */
const authStatus = () => ({
  loggedIn: Boolean(process.env.PERCH_URL) && hasKey(),
  authMethod: "api_key",
  apiProvider: "firstParty",
  apiKeySource: "ANTHROPIC_API_KEY",
})

const main = (args: Array<string>): void => {
  if (args.includes("--version") || args[0] === "-v") return void process.stdout.write(`${VERSION}\n`)
  if (args.includes("--help") || args[0] === "-h") return void process.stdout.write(`${USAGE}\n`)
  if (args[0] === "auth" && args[1] === "status") return void process.stdout.write(`${JSON.stringify(authStatus())}\n`)
  // Other commands of the official executable, such as `mcp list`, are about the machine that it runs on.
  const [command] = args
  if (command !== undefined && !command.startsWith("-")) {
    warn(`the command "${command.slice(0, 100)}" manages a local installation, and there is none. See --help.`)
    process.exitCode = 1
    return
  }
  try {
    run(args)
  } catch (error) {
    warn(messageOf(error))
    process.exitCode = 1
  }
}

main(process.argv.slice(2))
