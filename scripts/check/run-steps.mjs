// Receives commands; runs them, several in parallel, and returns whether all of them succeeded.
// Invariant: every command runs, even after another one has failed, so that one run shows everything that is wrong. A command's
// output is printed when it has ended, as a whole, and only if it failed.
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
 * Runs the commands in a shell, `atOnce` of them in parallel, in order. `print` receives a line for each command that has
 * ended, preceded by the output of a failed one.
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
