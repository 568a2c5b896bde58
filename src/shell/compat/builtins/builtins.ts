// The builtins that the interpreter lacks or evaluates incorrectly. Receives the state of a shell and the words after the name.
// Invariant: null means that the interpreter's own builtin runs, with the state that was changed here.
import type { BackgroundState } from "../background.ts"
import { declared, type FunctionState, typed } from "./functions.ts"
import { disowned, type JobState, jobs, killed } from "./jobs.ts"
import { type LocalState, unsetting } from "./unset.ts"
import { declaring, freezing, type ReadonlyState } from "./readonly-locals.ts"
import { limited } from "./ulimit.ts"
import { masked, type UmaskState } from "./umask.ts"

export interface BuiltinState extends BackgroundState, FunctionState, JobState, LocalState, ReadonlyState, UmaskState {
  previousDir: string
}

export interface BuiltinResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

type Builtin = (state: BuiltinState, args: ReadonlyArray<string>) => BuiltinResult | null

/** `getopts` after `local OPTIND` starts at 1, also if it finds no option: the interpreter would leave the variable empty. */
const counting = ({ env }: BuiltinState): null => {
  if ((env.get("OPTIND") ?? "") === "") env.set("OPTIND", "1")
  return null
}

/** An option without an argument leaves OPTARG unset; the interpreter leaves it empty. */
export const withoutArgument = ({ env }: BuiltinState, [options = "", name = ""]: ReadonlyArray<string>): void => {
  if (env.get("OPTARG") === "" && !options.includes(`${env.get(name) ?? ""}:`)) env.delete("OPTARG")
}

/** `cd -` goes to the value of OLDPWD, which a script may assign; the interpreter keeps the directory elsewhere. */
const returning = (state: BuiltinState, args: ReadonlyArray<string>): BuiltinResult | null => {
  if (args.at(-1) !== "-") return null
  const directory = state.env.get("OLDPWD") ?? ""
  if (directory === "") return { stdout: "", stderr: "bash: cd: OLDPWD not set\n", exitCode: 1 }
  state.previousDir = directory
  return null
}

/** `mapfile -C` calls a command for each line, and `-u` reads a descriptor; the interpreter would ignore both. */
const reading = (_: BuiltinState, args: ReadonlyArray<string>): BuiltinResult | null => {
  const [, option] = args.map((arg) => /^-t*([Cu])/.exec(arg)).find((found) => found !== null) ?? []
  return option === undefined
    ? null
    : { stdout: "", stderr: `bash: mapfile: -${option}: not supported by this shell\n`, exitCode: 2 }
}

/** The options of builtins whose unknown options the interpreter ignores; those after a colon have a value. */
const OPTIONS: Readonly<Record<string, string>> = {
  cd: "LPe@",
  command: "pvV",
  export: "fnp",
  jobs: "lnprsx",
  mapfile: "t:cCdnOsu",
  printf: ":v",
  pwd: "LP",
  read: "ers:adinNptu",
  readarray: "t:cCdnOsu",
  readonly: "aAfp",
  type: "afptP",
  ulimit: "SHabcdefiklmnpqrstuvxPRT",
  unset: "fnv",
  wait: "fn:p",
}

/** The first option of an argument that the builtin does not have; undefined if there is none. */
const unknownOption = (name: string, [argument = ""]: ReadonlyArray<string>): string | undefined => {
  if (!Object.hasOwn(OPTIONS, name)) return undefined
  const [flags = "", values = ""] = OPTIONS[name]?.split(":") ?? []
  return new RegExp(`^-[${flags}]*([^${flags}${values}-]|-(?=.))`).exec(argument)?.[1]
}

const BUILTINS: Readonly<Record<string, Builtin>> = {
  cd: returning,
  mapfile: reading,
  readarray: reading,
  // The interpreter takes the comma for an operator, also in the key of an associative array.
  let: (_, args) =>
    args.some((arg) => /\w\[[^\]]*,/.test(arg))
      ? { stdout: "", stderr: "bash: let: not supported by this shell: a comma in a subscript\n", exitCode: 2 }
      : null,
  unset: unsetting,
  getopts: counting,
  umask: masked,
  ulimit: limited,
  // The interpreter lacks the option, which is a fact about the whole script here.
  shopt: (_, args) =>
    /^-[su] patsub_replacement$/.test(args.join(" ")) ? { stdout: "", stderr: "", exitCode: 0 } : null,
  kill: killed,
  jobs,
  disown: disowned,
  local: declaring,
  readonly: freezing,
  declare: (state, args) => declared(state, args) ?? declaring(state, args),
  typeset: (state, args) => declared(state, args) ?? declaring(state, args),
  type: typed,
}

/** Runs a builtin; null if the name is not in the table, or if the interpreter has to run it. */
export const ranBuiltin = (state: BuiltinState, name: string, args: ReadonlyArray<string>): BuiltinResult | null => {
  const option = unknownOption(name, args)
  if (option !== undefined) return { stdout: "", stderr: `bash: ${name}: -${option}: invalid option\n`, exitCode: 2 }
  return Object.hasOwn(BUILTINS, name) ? (BUILTINS[name]?.(state, args) ?? null) : null
}
