// The two ends of the pipe that the SDK holds: a stdin that gives whole lines, a stdout that takes them.
// Invariant: neither end buffers without bound: stdin waits while `full`, stdout reports when it has no more room.
import { Readable, Writable } from "node:stream"
import { StringDecoder } from "node:string_decoder"

export interface StdinUser {
  readonly line: (line: string) => void
  readonly ended: () => void
  /** Whether the lines so far are as many as may wait. */
  readonly full: () => boolean
}

export class LineInput {
  readonly stream: Writable
  readonly #user: StdinUser
  readonly #decoder = new StringDecoder("utf8")
  #begun = ""
  #waiting: (() => void) | undefined

  constructor(user: StdinUser) {
    this.#user = user
    this.stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#take(this.#decoder.write(chunk))
        if (user.full()) this.#waiting = done
        else done()
      },
      final: (done) => {
        this.#take(`${this.#decoder.end()}\n`)
        user.ended()
        done()
      },
    })
  }

  /** There may be room again. */
  drain(): void {
    if (this.#waiting === undefined || this.#user.full()) return
    const done = this.#waiting
    this.#waiting = undefined
    done()
  }

  #take(text: string): void {
    const lines = `${this.#begun}${text}`.split("\n")
    this.#begun = lines.pop() ?? ""
    for (const line of lines) if (line.trim() !== "") this.#user.line(line)
  }
}

/** Node's readline, with which the SDK reads, takes these for the end of a line; inside JSON they can be escaped. */
const SEPARATOR = /[\u2028\u2029]/g
const escaped = (separator: string): string => (separator === "\u2028" ? "\\u2028" : "\\u2029")

const STDOUT_BYTES = 256 * 1024

export class LineOutput {
  readonly stream: Readable

  /** `room` is called when the SDK has read what there was. */
  constructor(room: () => void) {
    this.stream = new Readable({ highWaterMark: STDOUT_BYTES, read: room })
  }

  /** Writes a line; false when the SDK should read first. */
  write(line: string): boolean {
    return this.stream.push(`${line.replaceAll(SEPARATOR, escaped)}\n`)
  }

  end(): void {
    this.stream.push(null)
  }
}
