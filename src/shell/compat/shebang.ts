// Receives a script that is called by its path; returns the command that its first line names, as the kernel reads it.
// Invariant: a script for this shell is run by `bash`, which gives it a shell of its own; one for another program by that program.

const SHELLS = new Set(["sh", "bash", "dash", "ash", "ksh", "zsh"])
const LINE = /^#![ \t]*(\S+)(?:[ \t]+([^\n]*?))?[ \t\r]*(?:\n|$)/

/** The kernel reads no more of the line. */
const MAX_LINE = 256

/** The words before the script's path. */
export type Shebang = readonly [program: string, ...args: ReadonlyArray<string>]

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** `#!/usr/bin/env -S awk -f` names a program and its arguments, `#!/usr/bin/env x` and `#!/bin/x -y` one argument at most. */
export const shebangOf = (source: string): Shebang => {
  const [, path, rest = ""] = LINE.exec(source.slice(0, MAX_LINE)) ?? []
  if (path === undefined) return ["bash"]
  const words = rest === "" ? [] : [rest]
  const [program = "", ...args] =
    baseOf(path) === "env" ? rest.replace(/^-S[ \t]*/, "").split(/[ \t]+/) : [path, ...words]
  const name = baseOf(program)
  return SHELLS.has(name) ? ["bash", ...args] : [program === "" ? "env" : name, ...args]
}
