// find as in GNU: tests, operators, actions; `-exec` runs through the shell.
// Invariant: the whole expression is parsed before anything is visited; an unknown test or action is a usage error.
import { bytes, type Context, program, UsageError, why } from "./program.ts"
import { baseOf, checkedFormat, fileTest, formatted, lineFormat, nameTest, type Test, timeTest } from "./find-tests.ts"
import { type Settings, Visitor, type Walk } from "./find-walk.ts"
import { quotedWord } from "../syntax/quoted-word.ts"

class Expression {
  #at = 0
  readonly words: ReadonlyArray<string>
  readonly context: Context
  readonly walk: Walk
  readonly settings: Settings

  constructor(words: ReadonlyArray<string>, context: Context, walk: Walk, settings: Settings) {
    this.words = words
    this.context = context
    this.walk = walk
    this.settings = settings
  }

  async read(): Promise<Test> {
    if (this.words.length === 0) return () => true
    const test = await this.#or()
    if (this.#at < this.words.length) throw new UsageError(`unexpected argument '${this.words[this.#at]}'`)
    return test
  }

  async #or(): Promise<Test> {
    let left = await this.#and()
    while (this.words[this.#at] === "-o" || this.words[this.#at] === "-or") {
      this.#at += 1
      const [one, other] = [left, await this.#and()]
      left = async (found) => (await one(found)) || other(found)
    }
    return left
  }

  async #and(): Promise<Test> {
    let left = await this.#not()
    for (;;) {
      const word = this.words[this.#at]
      if (word === undefined || word === "-o" || word === "-or" || word === ")") return left
      if (word === "-a" || word === "-and") this.#at += 1
      const [one, other] = [left, await this.#not()]
      left = async (found) => (await one(found)) && other(found)
    }
  }

  async #not(): Promise<Test> {
    const word = this.words[this.#at]
    if (word === "!" || word === "-not") {
      this.#at += 1
      const inner = await this.#not()
      return async (found) => !(await inner(found))
    }
    if (word !== "(") return this.#primary()
    this.#at += 1
    const inner = await this.#or()
    if (this.words[this.#at] !== ")") throw new UsageError("invalid expression; expected to find a ')'")
    this.#at += 1
    return inner
  }

  #value(name: string): string {
    const value = this.words[this.#at]
    if (value === undefined) throw new UsageError(`missing argument to '${name}'`)
    this.#at += 1
    return value
  }

  #count(name: string): number {
    const value = this.#value(name)
    if (!/^\d+$/.test(value)) throw new UsageError(`expected a positive number after ${name}, got '${value}'`)
    return Number(value)
  }

  async #primary(): Promise<Test> {
    const name = this.words[this.#at] ?? ""
    this.#at += 1
    const argument = () => this.#value(name)
    const test =
      nameTest(name, argument, this.settings.extended, this.context) ??
      fileTest(name, argument, this.context) ??
      (await timeTest(name, argument, this.context)) ??
      this.#setting(name) ??
      this.#action(name)
    if (test === null) throw new UsageError(`unknown predicate '${name}'`)
    return test
  }

  /** Options, which apply to the whole walk and are true as a test. */
  #setting(name: string): Test | null {
    const { settings } = this
    switch (name) {
      case "-regextype":
        settings.extended = /extended|egrep|awk/.test(this.#value(name))
        return () => true
      case "-xdev":
      case "-mount":
      case "-noleaf":
      case "-nowarn":
        return () => true
      case "-maxdepth":
        settings.maxDepth = this.#count(name)
        return () => true
      case "-mindepth":
        settings.minDepth = this.#count(name)
        return () => true
      case "-depth":
        settings.depthFirst = true
        return () => true
      case "-follow":
        settings.follow = true
        return () => true
      default:
        return null
    }
  }

  /** What is done with the files that pass the tests before it. */
  #action(name: string): Test | null {
    const { settings, walk, context } = this
    switch (name) {
      case "-prune":
        return () => (walk.pruned = true)
      case "-quit":
        settings.acts = true
        return () => (walk.stopped = true)
      case "-print":
      case "-print0":
        settings.acts = true
        return ({ shown }) => {
          walk.out.text += shown + (name === "-print" ? "\n" : "\0")
          return true
        }
      case "-ls":
      case "-printf": {
        const format = name === "-ls" ? null : checkedFormat(this.#value(name))
        const now = Date.now()
        settings.acts = true
        return async (found) => {
          walk.out.text += await formatted(format ?? lineFormat(found, now), found, context)
          return true
        }
      }
      case "-delete":
        settings.acts = true
        settings.depthFirst = true
        return async ({ path, shown }) => {
          try {
            await context.fs.rm(path)
            return true
          } catch (error) {
            walk.out.errors += `find: cannot delete '${shown}': ${why(error)}\n`
            walk.out.exitCode = 1
            return false
          }
        }
      case "-exec":
      case "-execdir":
        return this.#exec(name)
      default:
        return null
    }
  }

  #exec(name: string): Test {
    const words: Array<string> = []
    const { settings, walk, context } = this
    settings.acts = true
    for (;;) {
      const word = this.#value(name)
      if (word === ";") break
      if (word === "+" && words.at(-1) === "{}") {
        if (name === "-execdir") throw new UsageError("-execdir with + is not supported; use \\;")
        const batch = { words: words.slice(0, -1), names: [] as Array<string> }
        walk.batches.push(batch)
        return ({ shown }) => batch.names.push(shown) > 0
      }
      words.push(word)
    }
    const inDirectory = name === "-execdir"
    return async ({ shown, path }) => {
      const named = inDirectory ? `./${baseOf(path)}` : shown
      const filled = words.map((word) => word.replaceAll("{}", named))
      return runWords(filled, context, walk, inDirectory ? path.slice(0, path.lastIndexOf("/")) || "/" : context.cwd)
    }
  }
}

const runWords = async (
  words: ReadonlyArray<string>,
  context: Context,
  walk: Walk,
  cwd: string = context.cwd,
): Promise<boolean> => {
  const [command = "", ...args] = words
  if (context.exec === undefined) throw new UsageError("-exec is not possible here")
  const ran = await context.exec(quotedWord(command), {
    cwd,
    args,
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  })
  walk.out.text += ran.stdoutKind === "bytes" ? Buffer.from(ran.stdout, "latin1").toString("utf8") : ran.stdout
  walk.out.errors += ran.stderr
  return ran.exitCode === 0
}

export const findProgram = program("find", async (args, context) => {
  const follow = args[0] === "-L"
  const words = args[0] !== undefined && /^-[LPH]$/.test(args[0]) ? args.slice(1) : args
  const first = words.findIndex((word) => /^[-!(]/.test(word))
  const starts = first === -1 ? words : words.slice(0, first)
  const walk: Walk = { out: { text: "", errors: "", exitCode: 0 }, stopped: false, pruned: false, batches: [] }
  const settings: Settings = {
    minDepth: 0,
    maxDepth: Number.POSITIVE_INFINITY,
    depthFirst: false,
    follow,
    acts: false,
    extended: false,
  }
  const test = await new Expression(first === -1 ? [] : words.slice(first), context, walk, settings).read()
  const visitor = new Visitor(context, walk, settings, test)
  for (const start of starts.length === 0 ? ["."] : starts) {
    const path = context.fs.resolvePath(context.cwd, start)
    try {
      await context.fs.lstat(path)
    } catch (error) {
      walk.out.errors += `find: '${start}': ${why(error)}\n`
      walk.out.exitCode = 1
      continue
    }
    await visitor.visit(start, path, 0, start)
  }
  for (const { words: command, names } of walk.batches)
    if (names.length > 0 && !(await runWords([...command, ...names], context, walk))) walk.out.exitCode = 1
  return { ...bytes(walk.out.text, walk.out.errors, walk.out.exitCode), stdoutKind: "text" }
})
