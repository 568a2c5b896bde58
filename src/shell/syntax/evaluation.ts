// Receives the unexpanded words of a simple command; returns whether the command may evaluate text in them: arithmetic,
// subscripts, names of variables that control the shell itself.
// Invariant: false only if every such word is provably plain. `test -v 'a[$(cmd)]'` runs `cmd`.
import { beginning, type Conditional, isInert, isOneWord, type SimpleCommand, type Word, wordText } from "./words.ts"

type Words = ReadonlyArray<Word>
type Check = (args: Words) => boolean

const NAME = /^[A-Za-z_]\w*$/

/** Variables that change the meaning of later commands, where they are looked up, or how words become arguments. */
const STEERING =
  /^(?:PATH|IFS|HOME|PWD|OLDPWD|CDPATH|ENV|PS\d|PROMPT_COMMAND|GLOBIGNORE|SHELLOPTS|POSIXLY_CORRECT|BASH\w*|LD_\w+|\w+_OPTIONS|LESS\w*|RIPGREP_CONFIG_PATH|__\w*)$/

/** Further variables whose assignment the official SDK asks about: their values change what later commands do or print. */
const SETTINGS =
  /^(?:path|SHELL|FPATH|TMPDIR|HISTFILE|LANG|LANGUAGE|LC_\w+|DYLD_\w+|OPTIND|S?RANDOM|SECONDS|HISTCMD|_)$/

/** As the official SDK: variables that one command may have a value of its own for. */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_\w+|CHARSET|TZ|TERM|COLUMNS|CI|NO_COLOR|FORCE_COLOR|LS_COLORS|NODE_ENV|RUST_LOG)$/

export const isPlainVariable = (name: string): boolean =>
  NAME.test(name) && !STEERING.test(name) && !SETTINGS.test(name)

type Value = SimpleCommand["assignments"][number]["value"]

const isPlainValue = (value: Value): boolean =>
  value === null ||
  (value.parts.every(isInert) && value.parts[0]?.type !== "TildeExpansion") ||
  (value.parts.length === 1 && value.parts[0]?.type === "CommandSubstitution")

/** True if the command assigns nothing, or only what changes no command: for the script, one variable that no program reads. */
export const mayAssign = ({ name, assignments }: SimpleCommand): boolean => {
  if (name !== null) {
    return assignments.every(
      (one) =>
        HARMLESS.test(one.name) &&
        !one.append &&
        one.array === null &&
        (one.value === null || wordText(one.value) !== null),
    )
  }
  return assignments.length <= 1 && assignments.every(isLoneAssignment)
}

const isLoneAssignment = ({ name, value, array }: SimpleCommand["assignments"][number]): boolean =>
  isPlainVariable(name) && array === null && isPlainValue(value)

const isPlainName = (word: Word | undefined): boolean => {
  const text = word === undefined ? null : wordText(word)
  return text !== null && NAME.test(text) && !STEERING.test(text)
}

/** True for a literal number, or a parameter that is always a number. */
const isNumber = (word: Word): boolean => {
  const text = wordText(word)
  if (text !== null) return /^[-+]?\d+$/.test(text)
  const [only, ...more] = word.parts
  const part = only?.type === "DoubleQuoted" && only.parts.length === 1 ? only.parts[0] : only
  return (
    more.length === 0 &&
    part?.type === "ParameterExpansion" &&
    part.operation === null &&
    /^[?#$!]$/.test(part.parameter)
  )
}

/** True when no command could evaluate anything in the word. */
const isInertText = (word: Word): boolean => isNumber(word) || /^[^[\]$`]*$/.test(wordText(word) ?? "$")

const isFlag = (word: Word): boolean => beginning(word).startsWith("-") && wordText(word) !== null

const NUMERIC: ReadonlySet<string | null> = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])
const COMPARING: ReadonlySet<string | null> = new Set(["=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"])
const UNARY = /^-[abcdefghknoprstuwxzLOGNS]$/

/** True if the unknown words of a `test` can only be operands, which are compared or looked up as plain text. */
const isShaped = (args: Words): boolean => {
  const texts = args.map(wordText)
  if (!texts.includes(null)) return true
  if (!args.every((word, at) => texts[at] !== null || isOneWord(word) || isNumber(word))) return false
  const [first, second] = texts
  if (args.length === 1) return true
  if (first === "!" && args.length < 5) return isShaped(args.slice(1))
  if (args.length === 2) return UNARY.test(first ?? "")
  return args.length === 3 && (COMPARING.has(second ?? null) || NUMERIC.has(second ?? null))
}

const ofTest: Check = (args) => {
  const texts = args.map(wordText)
  if (!isShaped(args)) return true
  return texts.some((text, at) => {
    const [before, after] = [args[at - 1], args[at + 1]]
    if (text === "-v" || text === "-R") return after !== undefined && !NAME.test(wordText(after) ?? "")
    if (text === "-t") return after !== undefined && !isNumber(after)
    return NUMERIC.has(text) && !(before !== undefined && isNumber(before) && (after === undefined || isNumber(after)))
  })
}

/** The operands of a condition in `[[ ]]`; null if it may evaluate one, or if one can't be determined before it runs. */
export const operandsOf = (condition: Conditional["expression"]): Words | null => {
  switch (condition.type) {
    case "CondWord":
      return fixed([condition.word])
    case "CondNot":
      return operandsOf(condition.operand)
    case "CondGroup":
      return operandsOf(condition.expression)
    case "CondUnary":
      return UNARY.test(condition.operator) && condition.operator !== "-t" ? fixed([condition.operand]) : null
    case "CondBinary": {
      const words = [condition.left, condition.right]
      return NUMERIC.has(condition.operator) && !words.every(isNumber) ? null : fixed(words)
    }
    default: {
      const [left, right] = [operandsOf(condition.left), operandsOf(condition.right)]
      return left === null || right === null ? null : [...left, ...right]
    }
  }
}

const fixed = (words: Words): Words | null => (words.every((word) => wordText(word) !== null) ? words : null)

/** A conversion of printf that evaluates a number, or takes its width from an argument. */
const NUMBER_CONVERSION = /%[-+ #0'\d.]*(?:\*|[hlLqjzt]*[diouxXeEfFgGaAn(])/

const ofPrintf: Check = (args) => {
  const at = args[0] !== undefined && wordText(args[0]) === "--" ? 1 : 0
  const format = args[at]
  if (format === undefined) return false
  const head = beginning(format)
  const text = wordText(format)
  if (head.startsWith("-v") || (text === null && (head === "" || head === "-"))) return true
  if (text !== null && !NUMBER_CONVERSION.test(text.replaceAll("%%", ""))) return false
  return !args.slice(at + 1).every(isInertText)
}

/** The operands; the options in `values` take the word after them. */
const wordsWithout = (args: Words, values: string): Words =>
  args.filter((word, at) => {
    const before = args[at - 1]
    const option = before === undefined ? null : wordText(before)
    return !isFlag(word) && !(option !== null && new RegExp(`^-[a-zA-Z]*[${values}]$`).test(option))
  })

const ofRead: Check = (args) => !wordsWithout(args, "dinNptu").every(isPlainName)

const ofUnset: Check = (args) => !args.every((word) => isFlag(word) || isPlainName(word))

const ofExport: Check = (args) =>
  !args.every((word) => {
    if (isFlag(word)) return true
    const [, name] = /^(\w+)(?:=|$)/.exec(beginning(word)) ?? []
    const assigned = wordText(word) === null ? beginning(word).includes("=") : true
    return assigned && name !== undefined && NAME.test(name) && !STEERING.test(name)
  })

const ofMapfile: Check = (args) =>
  args.some((word) => /^-[a-zA-Z]*C/.test(wordText(word) ?? "-C")) || !wordsWithout(args, "dnOsuc").every(isPlainName)

const ofWait: Check = (args) =>
  args.some((word, at) => {
    const text = wordText(word)
    if (text === null) return !isNumber(word)
    return /^-[a-zA-Z]*p/.test(text) && !(text.endsWith("p") && isPlainName(args[at + 1]))
  })

const any: Check = (args) => args.length > 0
const operand: Check = (args) => args.some((word) => !isFlag(word))

const CHECKS: Readonly<Record<string, Check>> = {
  "[": (args) => ofTest(args.length > 0 ? args.slice(0, -1) : args),
  test: ofTest,
  printf: ofPrintf,
  let: any,
  read: ofRead,
  mapfile: ofMapfile,
  readarray: ofMapfile,
  unset: ofUnset,
  export: ofExport,
  declare: operand,
  typeset: operand,
  local: operand,
  readonly: operand,
  getopts: (args) => !isPlainName(args[1]) || !args.every(isInertText),
  wait: ofWait,
  alias: any,
  bind: any,
  compgen: any,
  complete: any,
  enable: any,
  hash: any,
}

/** Programs and builtins that run the command in their arguments. */
const WRAPPERS = new Set("builtin command env exec nice nohup stdbuf sudo time timeout xargs".split(" "))

const nameOf = (word: Word | undefined): string | null => {
  const text = word === undefined ? null : wordText(word)
  return text === null ? null : text.slice(text.lastIndexOf("/") + 1)
}

export const mayEvaluate = (words: Words): boolean => {
  const name = nameOf(words[0])
  if (name === null) return false
  if (Object.hasOwn(CHECKS, name)) return CHECKS[name]?.(words.slice(1)) === true
  if (!WRAPPERS.has(name)) return false
  return words.some((word, at) => at > 0 && Object.hasOwn(CHECKS, nameOf(word) ?? "") && mayEvaluate(words.slice(at)))
}
