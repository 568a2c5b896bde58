// The memory of an awk program: its variables, arrays, functions' frames, and the record with its fields.
// Invariant: the record and its fields agree: after a change of one, the other is updated when it is read.
import type { SpendReads } from "../../syntax/search.ts"
import { UsageError } from "../program.ts"
import { fieldsOf } from "./records.ts"
import { given, numberOf, textOf, type Value } from "./values.ts"

export type AwkArray = Map<string, Value>
/** A variable. Its first use determines whether it is an array or a value. */
export interface Cell {
  value: Value | AwkArray
}

const MAX_FIELDS = 100_000
const MAX_CELLS = 500_000
/** The work for one field, in characters. */
const WORK_PER_FIELD = 64

export class Memory {
  readonly #globals = new Map<string, Cell>()
  #frames: Array<Map<string, Cell>> = []
  #record = ""
  #fields: Array<Value> = []
  /** False while the record still has to be split into fields. */
  #split = true
  /** True while the record still has to be joined from the fields. */
  #changed = false
  #work = 0
  #spend: SpendReads = () => {}

  constructor(values: Readonly<Record<string, Value>>) {
    for (const [name, value] of Object.entries(values)) this.#globals.set(name, { value })
  }

  /** `spend` receives the number of characters that the field separator's pattern rereads. */
  spendsReads(spend: SpendReads): void {
    this.#spend = spend
  }

  /** Returns and resets the work of splitting and joining, in characters. */
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
      // The current record is split with the separator that was set when it was read.
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
