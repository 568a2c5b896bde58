// Receives commands; runs them, some at once, and returns whether all of them ended well.
// Invariant: every command runs, even after another one has failed, so that one run shows all that is wrong. The output of a
// command is printed when it has ended, in one piece, and only when it failed.
import { spawn } from "node:child_process"

const run = (command, env) =>
  new Promise((resolve) => {
    let printed = ""
    const began = Date.now()
    const child = spawn(command, { shell: true, env, stdio: ["ignore", "pipe", "pipe"] })
    const end = (failed) => resolve({ failed, printed, seconds: (Date.now() - began) / 1000 })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (printed += text))
    child.on("error", (error) => {
      printed += String(error)
      end(true)
    })
    child.on("close", (code) => end(code !== 0))
  })

/**
 * Runs the commands in a shell, `atOnce` of them at a time, in their order. `print` receives a line for each
 * command that has ended, and before it the output of one that failed.
 */
export const runSteps = async (commands, { atOnce, env, print }) => {
  const waiting = [...commands]
  let passed = true
  const work = async () => {
    for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) {
      const { failed, printed, seconds } = await run(command, env)
      if (failed) {
        passed = false
        print(printed.trimEnd())
      }
      print(`${failed ? "FAILED" : "ok    "} ${command} (${seconds.toFixed(1)} s)`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return passed
}
