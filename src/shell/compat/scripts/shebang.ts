// Receives a script that is called by its path; returns the command in its first line, which is parsed as the kernel does.
// Invariant: `bash` runs a shell script in its own shell; any other script is run by the program that it names.

const SHELLS = new Set(["sh", "bash", "dash", "ash", "ksh", "zsh"])
const LINE = /^#![ \t]*(\S+)(?:[ \t]+([^\n]*?))?[ \t\r]*(?:\n|$)/

/** Maximum characters of the line that the kernel reads. */
const MAX_LINE = 256

/** The words of the command before the script's path. */
export type Shebang = readonly [program: string, ...args: ReadonlyArray<string>]

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** Parses the first line. `#!/usr/bin/env -S awk -f` has several arguments, `#!/usr/bin/env x` and `#!/bin/x -y` at most one. */
export const shebangOf = (source: string): Shebang => {
  const [, path, rest = ""] = LINE.exec(source.slice(0, MAX_LINE)) ?? []
  if (path === undefined) return ["bash"]
  const words = rest === "" ? [] : [rest]
  const [program = "", ...args] =
    baseOf(path) === "env" ? rest.replace(/^-S[ \t]*/, "").split(/[ \t]+/) : [path, ...words]
  const name = baseOf(program)
  return SHELLS.has(name) ? ["bash", ...args] : [program === "" ? "env" : name, ...args]
}
