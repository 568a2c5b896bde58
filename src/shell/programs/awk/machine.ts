// What an awk program runs on: its variables, arrays, functions' frames, and the record with its fields.
// Invariant: the record and its fields agree: a change of one is made in the other when that is read.
import type { SpendReads } from "../../syntax/search.ts"
import { UsageError } from "../program.ts"
import { fieldsOf } from "./records.ts"
import { given, numberOf, textOf, type Value } from "./values.ts"

export type AwkArray = Map<string, Value>
/** A local variable that has not been used yet becomes an array, or a value, by its first use. */
export interface Cell {
  value: Value | AwkArray
}

const MAX_FIELDS = 100_000
const MAX_CELLS = 500_000
/** A field takes as much work as so many characters. */
const WORK_PER_FIELD = 64

export class Memory {
  readonly #globals = new Map<string, Cell>()
  #frames: Array<Map<string, Cell>> = []
  #record = ""
  #fields: Array<Value> = []
  /** True when the fields are those of the record; false when they are yet to be split. */
  #split = true
  /** True when the record is yet to be joined from the fields. */
  #changed = false
  #work = 0
  #spend: SpendReads = () => {}

  constructor(values: Readonly<Record<string, Value>>) {
    for (const [name, value] of Object.entries(values)) this.#globals.set(name, { value })
  }

  /** What a record's separator reads again goes to `spend`. */
  spendsReads(spend: SpendReads): void {
    this.#spend = spend
  }

  /** How much text was split and joined since this was asked last. */
  takeWork(): number {
    const done = this.#work
    this.#work = 0
    return done
  }

  get depth(): number {
    return this.#frames.length
  }

  cell(name: string): Cell {
    const local = this.#frames.at(-1)?.get(name)
    if (local !== undefined) return local
    const known = this.#globals.get(name)
    if (known !== undefined) return known
    const made: Cell = { value: undefined }
    this.#globals.set(name, made)
    return made
  }

  enter(frame: Map<string, Cell>): void {
    this.#frames.push(frame)
  }

  leave(): void {
    this.#frames.pop()
  }

  get(name: string): Value {
    if (name === "NF") this.#ensureSplit()
    const { value } = this.cell(name)
    if (value instanceof Map) throw new UsageError(`can't use array ${name} in a scalar context`)
    return value
  }

  text(name: string): string {
    return textOf(this.get(name))
  }

  set(name: string, value: Value): void {
    const cell = this.cell(name)
    if (cell.value instanceof Map) throw new UsageError(`can't use array ${name} in a scalar context`)
    if (name !== "NF") {
      // The record in hand is split by the separator that it was read with.
      if (name === "FS") this.#ensureSplit()
      cell.value = value
      return
    }
    this.#ensureSplit()
    const count = Math.max(0, Math.trunc(numberOf(value)))
    if (count > MAX_FIELDS) throw new UsageError("field limit exceeded")
    while (this.#fields.length < count) this.#fields.push("")
    this.#fields.length = count
    this.#changed = true
    cell.value = count
  }

  array(name: string): AwkArray {
    const cell = this.cell(name)
    if (cell.value === undefined) cell.value = new Map()
    if (!(cell.value instanceof Map)) throw new UsageError(`can't use scalar ${name} as array`)
    if (cell.value.size > MAX_CELLS) throw new UsageError("array element limit exceeded")
    return cell.value
  }

  setRecord(record: string): void {
    this.#record = record
    this.#split = false
    this.#changed = false
  }

  #ensureSplit(): void {
    if (this.#split) return
    this.#split = true
    this.#fields = fieldsOf(this.#record, this.text("FS"), this.#spend, this.text("RS") === "")
    this.#count()
    this.cell("NF").value = this.#fields.length
  }

  #count(): void {
    this.#work += this.#record.length + this.#fields.length * WORK_PER_FIELD
  }

  field(index: number): Value {
    if (index < 0) throw new UsageError(`access to negative field ${index}`)
    if (index === 0) {
      if (this.#changed) {
        this.#record = this.#fields.map((field) => textOf(field)).join(this.text("OFS"))
        this.#count()
        this.#changed = false
      }
      return given(this.#record)
    }
    this.#ensureSplit()
    return this.#fields[index - 1]
  }

  setField(index: number, value: Value): void {
    if (index === 0) return this.setRecord(textOf(value))
    if (index < 0 || index > MAX_FIELDS) throw new UsageError(`access to field ${index}`)
    this.#ensureSplit()
    while (this.#fields.length < index) this.#fields.push("")
    this.#fields[index - 1] = value
    this.#changed = true
    this.cell("NF").value = this.#fields.length
  }
}
