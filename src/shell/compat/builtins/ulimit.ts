// `ulimit`: the limits of a process. This shell starts none, so it accepts limits that nothing here can reach (files, stack,
// core dumps), and rejects those that a script may rely on (time, memory, size of files).
// Invariant: a limit that would not be enforced is never accepted silently.
import type { BuiltinResult } from "./builtins.ts"

/** The limits that can be set: core dumps, open files, stack, processes, locked memory. */
const WITHOUT_EFFECT = "cnsul"
const VALUES: Readonly<Record<string, string>> = { c: "0", n: "1024", s: "8192", u: "1" }
const KNOWN = /^-[SH]*([a-zA-Z]?)$/

export const limited = (_: unknown, args: ReadonlyArray<string>): BuiltinResult => {
  const resource = args.flatMap((arg) => KNOWN.exec(arg)?.slice(1) ?? []).join("") || "f"
  const value = args.find((arg) => !arg.startsWith("-"))
  if (value === undefined) return { stdout: `${VALUES[resource] ?? "unlimited"}\n`, stderr: "", exitCode: 0 }
  if (value === "unlimited" || WITHOUT_EFFECT.includes(resource)) return { stdout: "", stderr: "", exitCode: 0 }
  const stderr = `bash: ulimit: -${resource}: this shell can't enforce the limit ${value}\n`
  return { stdout: "", stderr, exitCode: 1 }
}
