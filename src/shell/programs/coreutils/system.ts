// uname, nproc and id: facts about the system and its user.
// Invariant: the output is the same on every machine, and consistent with `whoami`, `hostname` and `stat`.
import type { Command } from "just-bash/browser"
import { bytes, program, readOptions, UsageError } from "../program.ts"

const SYSTEM: Readonly<Record<string, string>> = {
  s: "Linux",
  n: "localhost",
  r: "6.1.0",
  v: "#1 SMP",
  m: "x86_64",
  o: "GNU/Linux",
}
const UNAME = {
  flags: "asnrvmpio",
  long: {
    all: "a",
    "kernel-name": "s",
    nodename: "n",
    "kernel-release": "r",
    "kernel-version": "v",
    machine: "m",
    "operating-system": "o",
  },
}

const uname = program("uname", async (args) => {
  const { given, has, operands } = readOptions(args, UNAME)
  if (operands[0] !== undefined) throw new UsageError(`extra operand '${operands[0]}'`)
  const asked = given.length === 0 ? ["s"] : Object.keys(SYSTEM).filter((name) => has("a") || has(name))
  const unknown = !has("a") && (has("p") || has("i")) ? ["unknown"] : []
  return bytes(`${[...asked.map((name) => SYSTEM[name]), ...unknown].join(" ")}\n`)
})

const nproc = program("nproc", async (args) => {
  readOptions(args, { long: { all: "all", ignore: "ignore=" } })
  return bytes("1\n")
})

const ID = { flags: "ugGnr", long: { user: "u", group: "g", groups: "G", name: "n", real: "r" } }
const NAME = "user"
const NUMBER = "1000"

const id = program("id", async (args) => {
  const { has, operands } = readOptions(args, ID)
  const [name] = operands
  if (name !== undefined && name !== NAME && name !== NUMBER) return bytes("", `id: '${name}': no such user\n`, 1)
  const one = has("u") || has("g") || has("G")
  if (!one && has("n")) throw new UsageError("cannot print only names or real IDs in default format")
  const pair = `${NUMBER}(${NAME})`
  return bytes(one ? `${has("n") ? NAME : NUMBER}\n` : `uid=${pair} gid=${pair} groups=${pair}\n`)
})

export const SYSTEM_PROGRAMS: ReadonlyArray<Command> = [uname, nproc, id]
