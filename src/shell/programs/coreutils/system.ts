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

const groups = program("groups", async (args) => {
  const [name] = readOptions(args, {}).operands
  if (name !== undefined && name !== NAME) return bytes("", `groups: '${name}': no such user\n`, 1)
  return bytes(name === undefined ? `${NAME}\n` : `${NAME} : ${NAME}\n`)
})

/** Standard input is never a terminal. */
const tty = program("tty", async (args) => {
  const { has } = readOptions(args, { flags: "s", long: { silent: "s", quiet: "s" } })
  return bytes(has("s") ? "" : "not a tty\n", "", 1)
})

const arch = program("arch", async (args) => {
  readOptions(args, {})
  return bytes(`${SYSTEM["m"]}\n`)
})

/** Files are written when the script ends, so there is nothing to wait for. */
const sync = program("sync", async (args, { fs, cwd }) => {
  const { operands } = readOptions(args, { flags: "df", long: { data: "d", "file-system": "f" } })
  for (const name of operands)
    if (!(await fs.exists(fs.resolvePath(cwd, name))))
      return bytes("", `sync: error opening '${name}': No such file or directory\n`, 1)
  return bytes("")
})

const uuidgen = program("uuidgen", async (args) => {
  readOptions(args, { flags: "r", long: { random: "r" } })
  return bytes(`${crypto.randomUUID()}\n`)
})

export const SYSTEM_PROGRAMS: ReadonlyArray<Command> = [uname, nproc, id, groups, tty, arch, sync, uuidgen]
