// The functions of jq that compute a value from values.
// Invariant: each returns one value, or raises an error that the filter may catch.
import {
  compareJson,
  isArray,
  isObject,
  type Json,
  readJson,
  shownType,
  sortedKeys,
  typeOf,
  writeJson,
} from "./json.ts"
import { asText } from "./formats.ts"
import {
  compute,
  deletePaths,
  getPath,
  limitedText,
  type Path,
  placesOf,
  raise,
  setPath,
  splitText,
  valueAt,
} from "./paths.ts"
import { brokenDown, formatTime, parseTime, secondsOf } from "./times.ts"

export type Function = (input: Json, ...args: ReadonlyArray<Json>) => Json

const text = (value: Json, what: string): string =>
  typeof value === "string" ? value : raise(`${shownType(value)} ${what}, as it is not a string`)

const list = (value: Json, what: string): ReadonlyArray<Json> =>
  isArray(value) ? value : raise(`${shownType(value)} cannot be ${what}, as it is not an array`)

const number = (value: Json): number =>
  typeof value === "number" ? value : raise(`${shownType(value)} number required`)

const path = (value: Json): Path => (isArray(value) ? value : raise("Path must be specified as an array"))

const length: Function = (value) => {
  if (value === null) return 0
  if (typeof value === "number") return Math.abs(value)
  if (typeof value === "string") return Array.from(value).length
  if (isArray(value)) return value.length
  return isObject(value) ? value.size : raise(`${shownType(value)} has no length`)
}

/** A function that returns the indexes of a list, or the keys of an object as `keysOf` returns them. */
const keys =
  (keysOf: (value: ReadonlyMap<string, Json>) => ReadonlyArray<string>): Function =>
  (value) => {
    if (isArray(value)) return value.map((_, at) => at)
    return isObject(value) ? keysOf(value) : raise(`${shownType(value)} has no keys`)
  }

const has: Function = (value, key = null) => {
  if (isObject(value) && typeof key === "string") return value.has(key)
  if (isArray(value) && typeof key === "number") return key >= 0 && key < value.length
  return raise(`Cannot check whether ${typeOf(value)} has a ${typeof key === "string" ? "string" : typeOf(key)} key`)
}

const contains = (value: Json, part: Json): boolean => {
  if (isObject(value) && isObject(part))
    return Array.from(part).every(([key, item]) => value.has(key) && contains(value.get(key) ?? null, item))
  if (isArray(value) && isArray(part)) return part.every((item) => value.some((other) => contains(other, item)))
  if (typeof value === "string" && typeof part === "string") return value.includes(part)
  return typeOf(value) === typeOf(part) && compareJson(value, part) === 0
}

/** `contains` raises an error for values of two types, but not for elements of two types inside of them. */
const checkedContains = (value: Json, part: Json): boolean =>
  typeOf(value) === typeOf(part)
    ? contains(value, part)
    : raise(`${shownType(value)} and ${shownType(part)} cannot have their containment checked`)

const flattened = (value: ReadonlyArray<Json>, depth: number): ReadonlyArray<Json> =>
  value.flatMap((item) => (isArray(item) && depth > 0 ? flattened(item, depth - 1) : [item]))

const flatten: Function = (value, depth = 1e9) =>
  number(depth) < 0 ? raise("flatten depth must not be negative") : flattened(list(value, "flattened"), number(depth))

const join: Function = (value, between = "") => {
  let joined = ""
  list(value, "joined").forEach((item, at) => {
    if (item !== null && typeof item === "object") raise(`${shownType(joined)} and ${shownType(item)} cannot be added`)
    joined = limitedText(
      joined + (at === 0 ? "" : text(between, "cannot be put between")) + (item === null ? "" : asText(item)),
    )
  })
  return joined
}

const indices: Function = (value, part = null) => {
  if (value === null || part === null) return null
  if (typeof value === "string" && typeof part === "string") {
    const found: Array<number> = []
    if (part === "") return null
    for (let at = value.indexOf(part); at !== -1; at = value.indexOf(part, at + 1))
      found.push(Array.from(value.slice(0, at)).length)
    return found
  }
  if (isArray(value)) return isArray(part) ? placesOf(value, part) : placesOf(value, [part])
  return valueAt(value, part)
}

/** The value of the first of these fields that an entry has. */
const fieldOf = (entry: Json, names: ReadonlyArray<string>): Json => {
  const name = names.find((one) => isObject(entry) && entry.has(one)) ?? names[0] ?? ""
  return valueAt(entry, name)
}

const KEYS = ["key", "k", "name", "Name", "Key", "K"]
const VALUES = ["value", "v", "Value", "V"]

const fromEntries: Function = (value) =>
  new Map(
    list(value, "turned into an object").map((entry) => {
      const key = fieldOf(entry, KEYS)
      return [typeof key === "string" ? key : writeJson(key), fieldOf(entry, VALUES)]
    }),
  )

const toNumber: Function = (value) => {
  if (typeof value === "number") return value
  const given = text(value, "cannot be parsed as a number")
  if (!/^\s*-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(given) && given !== "nan")
    return raise(`Cannot be parsed as a number: ${writeJson(given)}`)
  return Number(given)
}

const fromJson: Function = (value) => {
  const source = text(value, "cannot be parsed")
  try {
    const [first = null, more] = readJson(source)
    return more === undefined ? first : raise("Unexpected extra JSON values")
  } catch (error) {
    if (error instanceof RangeError) throw error
    return raise(
      `${error instanceof Error ? error.message : "Invalid literal"} (while parsing '${source.slice(0, 50)}')`,
    )
  }
}

const implode: Function = (value) =>
  list(value, "imploded")
    .map((code) =>
      typeof code === "number" && code >= 0 && code <= 0x10ffff
        ? String.fromCodePoint(code)
        : raise("Unicode codepoint must be numeric"),
    )
    .join("")

const transpose: Function = (value) => {
  const rows = list(value, "transposed").map((row) => list(row, "transposed"))
  const width = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? null))
}

/** The items of a list with their sort keys, sorted. */
export const byKey = (value: Json, keysOf: (item: Json) => Json): ReadonlyArray<readonly [key: Json, item: Json]> =>
  list(value, "sorted")
    .map((item) => [keysOf(item), item] as const)
    .toSorted(([left], [right]) => compareJson(left, right))

const best = (value: Json, sign: 1 | -1): Json => {
  const items = list(value, "compared")
  if (items.length === 0) return null
  return items.reduce((found, item) => (compareJson(item, found) * sign >= (sign === 1 ? 0 : 1) ? item : found))
}

const add: Function = (value) => {
  const items = isObject(value) ? Array.from(value.values()) : list(value, "iterated over")
  if (items.length > 0 && items.every((item) => typeof item === "string")) return limitedText(items.join(""))
  if (items.length > 0 && items.every(isArray)) return items.flat(1)
  return items.reduce<Json>((sum, item) => compute("+", sum, item), null)
}

const trimmed =
  (from: RegExp): Function =>
  (value) =>
    text(value, "cannot be trimmed").replace(from, "")

const cased = (value: Json, letters: RegExp, change: (letter: string) => string): Json => {
  return text(value, "cannot be changed in case").replace(letters, change)
}

const withoutStart: Function = (value, part = null) =>
  typeof value === "string" && typeof part === "string" && value.startsWith(part) ? value.slice(part.length) : value

const withoutEnd: Function = (value, part = null) =>
  typeof value === "string" && typeof part === "string" && value.endsWith(part)
    ? value.slice(0, value.length - part.length)
    : value

const split: Function = (value, by = null) => {
  if (typeof value !== "string" || typeof by !== "string") return raise("split input and separator must be strings")
  return splitText(value, by)
}

/** A function that compares two texts; `name` is for its error. */
const textTest =
  (name: string, test: (value: string, part: string) => boolean): Function =>
  (value, part = null) =>
    typeof value === "string" && typeof part === "string"
      ? test(value, part)
      : raise(`${name}() requires string inputs`)

const unary: Readonly<Record<string, (value: number) => number>> = {
  floor: Math.floor,
  ceil: Math.ceil,
  round: (value) => Math.sign(value) * Math.round(Math.abs(value)),
  trunc: Math.trunc,
  fabs: Math.abs,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  exp2: (value) => 2 ** value,
  exp10: (value) => 10 ** value,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  significand: (value) => (value === 0 ? 0 : value / 2 ** Math.floor(Math.log2(Math.abs(value)))),
  logb: (value) => Math.floor(Math.log2(Math.abs(value))),
}

const binary: Readonly<Record<string, (left: number, right: number) => number>> = {
  pow: (left, right) => left ** right,
  atan2: Math.atan2,
  fmin: Math.min,
  fmax: Math.max,
  fmod: (left, right) => left % right,
  ldexp: (left, right) => left * 2 ** right,
}

/** Functions as `name/arity`. */
export const FUNCTIONS: ReadonlyMap<string, Function> = new Map<string, Function>([
  ...Object.entries(unary).map(([name, of]) => [`${name}/0`, (value: Json) => of(number(value))] as const),
  ...Object.entries(binary).map(
    ([name, of]) =>
      [`${name}/2`, (_: Json, left: Json = null, right: Json = null) => of(number(left), number(right))] as const,
  ),
  ["length/0", length],
  ["utf8bytelength/0", (value) => Buffer.byteLength(text(value, "only strings have UTF-8 byte length"))],
  ["not/0", (value) => value === null || value === false],
  ["keys/0", keys(sortedKeys)],
  ["keys_unsorted/0", keys((value) => Array.from(value.keys()))],
  ["has/1", has],
  ["contains/1", (value, part = null) => checkedContains(value, part)],
  ["inside/1", (value, whole = null) => checkedContains(whole, value)],
  ["add/0", add],
  ["type/0", typeOf],
  ["tostring/0", asText],
  ["tonumber/0", toNumber],
  ["tojson/0", (value) => writeJson(value)],
  ["fromjson/0", fromJson],
  ["from_entries/0", fromEntries],
  [
    "reverse/0",
    (value) =>
      value === null
        ? []
        : typeof value === "string"
          ? Array.from(value).reverse().join("")
          : list(value, "reversed").toReversed(),
  ],
  ["sort/0", (value) => list(value, "sorted").toSorted(compareJson)],
  [
    "unique/0",
    (value) =>
      list(value, "sorted")
        .toSorted(compareJson)
        .filter((item, at, all) => at === 0 || compareJson(item, all[at - 1] ?? null) !== 0),
  ],
  ["min/0", (value) => best(value, -1)],
  ["max/0", (value) => best(value, 1)],
  ["flatten/0", flatten],
  ["flatten/1", flatten],
  ["join/1", join],
  ["split/1", split],
  ["indices/1", indices],
  ["index/1", (value, part = null) => first(indices(value, part))],
  ["rindex/1", (value, part = null) => last(indices(value, part))],
  ["startswith/1", textTest("startswith", (value, part) => value.startsWith(part))],
  ["endswith/1", textTest("endswith", (value, part) => value.endsWith(part))],
  ["ltrimstr/1", withoutStart],
  ["rtrimstr/1", withoutEnd],
  ["trim/0", trimmed(/^\s+|\s+$/g)],
  ["ltrim/0", trimmed(/^\s+/)],
  ["rtrim/0", trimmed(/\s+$/)],
  ["ascii_downcase/0", (value) => cased(value, /[A-Z]+/g, (letters) => letters.toLowerCase())],
  ["ascii_upcase/0", (value) => cased(value, /[a-z]+/g, (letters) => letters.toUpperCase())],
  ["explode/0", (value) => Array.from(text(value, "cannot be exploded"), (letter) => letter.codePointAt(0) ?? 0)],
  ["implode/0", implode],
  ["transpose/0", transpose],
  ["toarray/0", (value) => (isArray(value) ? value : [value])],
  ["abs/0", (value) => Math.abs(number(value))],
  ["infinite/0", () => Number.POSITIVE_INFINITY],
  ["nan/0", () => Number.NaN],
  ["isinfinite/0", (value) => Math.abs(number(value)) === Number.POSITIVE_INFINITY],
  ["isnan/0", (value) => Number.isNaN(number(value))],
  ["isnormal/0", (value) => Number.isFinite(number(value)) && Math.abs(number(value)) >= 2.2250738585072014e-308],
  ["getpath/1", (value, at = null) => getPath(value, path(at))],
  ["setpath/2", (value, at = null, item = null) => setPath(value, path(at), item)],
  ["delpaths/1", (value, all = null) => deletePaths(value, list(all, "deleted").map(path))],
  ["gmtime/0", brokenDown],
  ["localtime/0", brokenDown],
  ["mktime/0", secondsOf],
  ["strftime/1", formatTime],
  ["strflocaltime/1", formatTime],
  ["strptime/1", parseTime],
])

const first = (places: Json): Json => (isArray(places) ? (places[0] ?? null) : null)
const last = (places: Json): Json => (isArray(places) ? (places.at(-1) ?? null) : null)
