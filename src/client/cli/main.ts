#!/usr/bin/env node
// The program `perch`: runs a command with the process's arguments, environment and output, and sets the exit code.
import { EXIT, runCommand } from "./cli.ts"

const stop = new AbortController()
process.once("SIGINT", () => stop.abort())
process.once("SIGTERM", () => stop.abort())
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  // The reader may close the pipe early, as in `perch ls … | head`; that is no error.
  if (code === "EPIPE") process.exit()
  process.stderr.write(`perch: the output can't be written: ${message}\n`)
  process.exit(EXIT.failed)
})

process.exitCode = await runCommand({
  args: process.argv.slice(2),
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
  signal: stop.signal,
})
