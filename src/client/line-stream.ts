// The SDK's ends of the pipes: a stdin that splits what the SDK writes into lines, a stdout that is written line by line.
// Invariant: neither end buffers without bound: stdin waits while `full`, `write` reports when stdout's buffer is full.
import { Readable, Writable } from "node:stream"
import { StringDecoder } from "node:string_decoder"

export interface StdinUser {
  readonly line: (line: string) => void
  readonly ended: () => void
  /** Whether as many lines as allowed are pending; stdin then waits for `drain()`. */
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
    // The stream fails only for a write after its end. Older SDKs write a callback's answer then, without a listener for the
    // error, which would end the app. The answer is not needed: `ended` has answered the server's requests.
    this.stream.on("error", () => {})
  }

  /** Resumes stdin, unless the pending lines are still `full`. */
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

/** Node's readline, with which the SDK reads, treats these as line ends; inside JSON they can be escaped. */
const SEPARATOR = /[\u2028\u2029]/g
const escaped = (separator: string): string => (separator === "\u2028" ? "\\u2028" : "\\u2029")

const STDOUT_BYTES = 256 * 1024

export class LineOutput {
  readonly stream: Readable

  /** `room` is called when the SDK has read enough for the buffer to accept more. */
  constructor(room: () => void) {
    this.stream = new Readable({ highWaterMark: STDOUT_BYTES, read: room })
  }

  /** Writes a line; returns false when the buffer is full. */
  write(line: string): boolean {
    return this.stream.push(`${line.replaceAll(SEPARATOR, escaped)}\n`)
  }

  end(): void {
    this.stream.push(null)
  }
}
