// The lines of the table that do not give here what they give in Debian, each with its reason.

const NEWER_AWK = "Debian's mawk does not parse it; here it means what it means in gawk"
const GLOBS = "the interpreter has no such form of file name expansion"

export const DIFFERENCES: Readonly<Record<string, string>> = {
  "arithmetic: numeric tests": "`[ 3 -eq 3.0 ]` is an error without a message",
  "awk: split, join and loop": NEWER_AWK,
  "awk: arithmetic": NEWER_AWK,
  "globs: failglob is an error": GLOBS,
  "globs: extended globs":
    "bash parses `!(…)` only in lines after the one that turns extglob on; here it is always a pattern",
  "redirects: a redirection into a missing directory": "a redirection makes the directories that it needs",
  "symlinks: hard links have the same content": "hard links are copies: the workspace has no inodes",
}
