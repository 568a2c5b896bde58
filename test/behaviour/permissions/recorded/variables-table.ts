// Recorded decisions of the official SDK about commands with the values of variables, most of them in quotes.
import type { RecordedScript } from "./scripts-table.ts"

const NAMES = "HOSTNAME LOGNAME OLDPWD PATH PWD RANDOM SHELL TMPDIR UID USER".split(" ")
const OTHERS = "A EDITOR LANG LC_ALL TERM TZ 1 @".split(" ")
const words = [
  '"$A"',
  '"${A}"',
  '"$?"',
  '"$1"',
  '"$PATH"',
  'x"$A"',
  '"$PATH"x',
  '"${A:-b}"',
  '"x ${A:-b}"',
  '"x ${#A}"',
]

const ASKS = [
  ...OTHERS.map((name) => `echo "hi $${name}"`),
  ...words.map((word) => `echo ${word}`),
  'printf "%s" "$A"',
  'pwd "$A"',
  'for f in a b; do echo "$f"; done',
  'for f in a b; do echo "f $f"; done',
  'A=1; echo "v $A"',
  'A=1 && echo "v $A"',
]

export const VARIABLES: ReadonlyArray<RecordedScript> = [
  ...NAMES.map((name): RecordedScript => [`echo "hi $${name}"`, "allow"]),
  ['echo "$HOME"', "allow"],
  ['echo "$HOME/x"', "allow"],
  ...ASKS.map((script): RecordedScript => [script, "ask other - empty"]),
]

/** Commands that ask although an allow rule covers them. */
export const WITH_A_RULE = ['echo "$A"', 'echo "x $A"', 'hello "$A"', 'hello "x $A"', 'mkdir "x $A"', 'echo "$?"']
