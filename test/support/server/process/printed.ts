// What a server prints: all of it is written to a file, and its end is kept in memory.
// A server that logs every step prints thousands of lines a second, so a line costs one write and no copy of those before it.
import fs from "node:fs"

const MAX_KEPT_CHARS = 200_000

export class Printed {
  readonly #file: number
  readonly #chunks: Array<string> = []
  #chars = 0

  /** Opens the file for appending; creates it if it does not exist. */
  constructor(file: string) {
    this.#file = fs.openSync(file, "a")
  }

  add(chunk: string): void {
    fs.writeSync(this.#file, chunk)
    this.#chunks.push(chunk)
    this.#chars += chunk.length
    while (this.#chars - this.#chunks[0]!.length >= MAX_KEPT_CHARS) this.#chars -= this.#chunks.shift()!.length
  }

  /** The last 200,000 characters. */
  text(): string {
    return this.#chunks.join("").slice(-MAX_KEPT_CHARS)
  }

  close(): void {
    fs.closeSync(this.#file)
  }
}
