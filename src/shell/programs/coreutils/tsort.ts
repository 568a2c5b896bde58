// tsort: sorts the items of pairs so that the first item of each pair precedes the second.
// Invariant: every item is printed, also if the pairs have a loop, which is reported.
import { bytes, program, readInput, readOptions, UsageError, why } from "../program.ts"

interface Item {
  /** How many items that precede this one have not been printed. */
  before: number
  readonly after: Array<string>
}

class Order {
  readonly #items = new Map<string, Item>()

  constructor(words: ReadonlyArray<string>) {
    for (let at = 0; at < words.length; at += 2) this.#add(words[at] ?? "", words[at + 1] ?? "")
  }

  #item(name: string): Item {
    const item = this.#items.get(name) ?? { before: 0, after: [] }
    this.#items.set(name, item)
    return item
  }

  #add(first: string, second: string): void {
    const item = this.#item(first)
    if (first === second) return
    this.#item(second).before += 1
    item.after.unshift(second)
  }

  /** The items in order, and those that are left because of a loop. */
  sorted(): { readonly order: ReadonlyArray<string>; readonly left: ReadonlyArray<string> } {
    const order = Array.from(this.#items.keys())
      .filter((name) => this.#item(name).before === 0)
      .sort((a, b) => (a < b ? -1 : 1))
    for (let at = 0; at < order.length; at += 1)
      for (const name of this.#item(order[at] ?? "").after) {
        const next = this.#item(name)
        next.before -= 1
        if (next.before === 0) order.push(name)
      }
    const printed = new Set(order)
    return { order, left: Array.from(this.#items.keys()).filter((name) => !printed.has(name)) }
  }
}

export const tsortProgram = program("tsort", async (args, context) => {
  const [name = "-", extra] = readOptions(args, {}).operands
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`)
  const text = await readInput(context, name).catch((error: unknown) => {
    throw new UsageError(`${name}: ${why(error)}`)
  })
  const words = text.split(/\s+/).filter((word) => word !== "")
  if (words.length % 2 === 1) throw new UsageError(`${name}: input contains an odd number of tokens`)
  const { order, left } = new Order(words).sorted()
  const stderr =
    left.length === 0 ? "" : `tsort: ${name}: input contains a loop:\n${left.map((one) => `tsort: ${one}\n`).join("")}`
  return bytes([...order, ...left].map((one) => `${one}\n`).join(""), stderr, left.length === 0 ? 0 : 1)
})
