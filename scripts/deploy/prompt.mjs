// Asks for a secret on a terminal. What is typed is not echoed.
import readline from "node:readline"
import { Writable } from "node:stream"

/**
 * The line that was typed or pasted, or undefined for an empty one.
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream }} terminal
 */
export const askSecret = ({ input, output }, question) =>
  new Promise((resolve) => {
    // Readline echoes to its output: this output discards everything.
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = readline.createInterface({ input, output: silent, terminal: true })
    let answer
    output.write(question)
    lines.once("line", (line) => {
      answer = line.trim() || undefined
      lines.close()
    })
    lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    lines.once("close", () => {
      output.write("\n")
      resolve(answer)
    })
  })
