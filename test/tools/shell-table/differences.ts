// The lines of the table that do not give here what they give in Debian, each with its reason.

const DOUBLES = "the interpreter computes with doubles, exact up to 2^53"
const GOES_ON = "an error in an arithmetic expansion fails its command here; bash gives up the whole script"
const NEWER_AWK = "Debian's mawk does not parse it; here it means what it means in gawk"
const GLOBS = "the interpreter has no such form of file name expansion"
const SED = "the shell's sed has no such flag or escape"

export const DIFFERENCES: Readonly<Record<string, string>> = {
  "arithmetic: division by zero": GOES_ON,
  "arithmetic: a leading zero that is no octal": GOES_ON,
  "arithmetic: a syntax error in an expression": GOES_ON,
  "arithmetic: 64 bits wrap": DOUBLES,
  "arithmetic: large products stay exact": DOUBLES,
  "arithmetic: bc with a scale": "there is no bc",
  "arithmetic: numeric tests": "`[ 3 -eq 3.0 ]` is an error without a message",
  "awk: split, join and loop": NEWER_AWK,
  "awk: arithmetic": NEWER_AWK,
  "awk: printf formats": "no zero padding of fractions, and exponents of one digit",
  "awk: records by blank lines": "an empty RS is a newline",
  "awk: integer and string comparison": "a field against a string constant is compared as numbers",
  "awk: pipes to a command": "the shell's awk starts no commands for its output",
  "functions: recursion": "a function can't be called in a substitution inside an arithmetic expansion",
  "functions: a trap on exit": "there are no traps",
  "functions: export -f to a child": "functions are not exported",
  "globs: failglob is an error": GLOBS,
  "globs: only directories with a slash at the end": GLOBS,
  "globs: nocaseglob": GLOBS,
  "text-tools: ls in its forms": GLOBS,
  "jq: update a path and delete one": "del takes no slices and no list of paths",
  "quoting: @Q and @U transformations": "@Q writes another form of the same quoting",
  "redirects: both to one file, in order": "stdout and stderr are collected apart and joined at the end of a group",
  "redirects: a redirection into a missing directory": "a redirection makes the directories that it needs",
  "sed: substitute, globally and only the second": SED,
  "sed: upper case with GNU escapes": SED,
  "sed: Q gives an exit code": SED,
  "symlinks: hard links have the same content": "hard links are copies: the workspace has no inodes",
  "text-tools: tar there and back": "there is no tar",
}
