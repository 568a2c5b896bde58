#!/usr/bin/env node
// The program `perch`: its arguments, its surroundings, its exit code.
import { EXIT, runCommand } from "./cli.ts"

const stop = new AbortController()
process.once("SIGINT", () => stop.abort())
process.once("SIGTERM", () => stop.abort())
// The reader may have read enough: `perch ls … | head`.
process.stdout.on("error", () => process.exit(EXIT.done))

process.exitCode = await runCommand({
  args: process.argv.slice(2),
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
  signal: stop.signal,
})
