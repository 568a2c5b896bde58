// Interrupts a turn over the control protocol's socket, in one of four states; returns how long its result took.
// Invariant: the time is measured by the client, from the request to the result, and the result proves that state.
import type { ApiLog } from "../support/session/api-log.ts"
import { eventually, PerchClient } from "../support/server/client.ts"
import { ControlSocket, type Frame } from "../support/server/control-socket.ts"
import { call, promptFor, scriptName, text } from "../support/session/scripts.ts"

export type State =
  | "the model is silent"
  | "Bash runs an endless loop"
  | "Bash runs slow commands for ever"
  | "a question is open"

interface Scene {
  readonly options: Readonly<Record<string, unknown>>
  readonly turns: ReadonlyArray<unknown>
  /** Resolves when the turn is in the state. */
  readonly reached: (socket: ControlSocket, api: ApiLog, script: string) => Promise<unknown>
  readonly reasons: ReadonlyArray<string>
}

const usesTool = ({ type, message }: Frame): boolean =>
  type === "assistant" && JSON.stringify(message).includes('"tool_use"')

/** A turn in which Bash runs a script. */
const running = (command: string): Omit<Scene, "reasons"> => ({
  options: { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
  turns: [{ content: [call("Bash", { command, description: "Loop" })] }, { content: [], hold: {} }],
  reached: (socket) => socket.next(usesTool),
})

/** The interrupt may arrive before the end of the answer that has the call. */
const IN_CALL = ["aborted_tools", "aborted_streaming"]

const SCENES: Readonly<Record<State, Scene>> = {
  "the model is silent": {
    options: {},
    turns: [{ content: [text("never sent")], hold: {} }],
    reached: (_socket, api, script) =>
      eventually(async () => ((await api.requests(script)).length > 0 ? true : undefined)),
    reasons: ["aborted_streaming"],
  },
  "Bash runs an endless loop": {
    ...running("while true; do :; done"),
    // The shell's own limits may end the loop first, too: then the turn is waiting for the model.
    reasons: IN_CALL,
  },
  "Bash runs slow commands for ever": {
    ...running("while true; do seq 1 3000 | sort -rn > /dev/null; done"),
    reasons: IN_CALL,
  },
  "a question is open": {
    options: { permissionMode: "default" },
    turns: [{ content: [call("Write", { file_path: "/workspace/f", content: "x" })] }],
    reached: (socket) => socket.asked("can_use_tool"),
    reasons: IN_CALL,
  },
}

export const STATES = Object.keys(SCENES) as ReadonlyArray<State> // the keys of that record

export interface Place {
  readonly server: { readonly url: string; readonly key: string }
  readonly api: ApiLog
}

export interface Interrupted {
  /** Milliseconds from the request to the result. */
  readonly took: number
  /** The messages between the two, by type, without the answer to the request. */
  readonly between: ReadonlyArray<string>
}

/** Milliseconds from the interrupt to the result, measured `count` times in separate sessions. */
export const interruptTimes = async (place: Place, state: State, count: number): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (let left = count; left > 0; left -= 1) times.push((await interruptOnce(place, state)).took)
  return times
}

/** Interrupts a turn that does not end by itself. Fails when its result has another reason. */
export const interruptOnce = async ({ server, api }: Place, state: State): Promise<Interrupted> => {
  const scene = SCENES[state]
  const script = scriptName("interrupt")
  await api.set(script, scene.turns)
  const session = await new PerchClient(server).createSession(scene.options)
  const socket = await ControlSocket.open(server, session)
  await socket.request({ subtype: "initialize" })
  socket.prompt(promptFor(script))
  await scene.reached(socket, api, script)
  const known = socket.frames.length
  const began = performance.now()
  const answered = socket.request({ subtype: "interrupt" })
  const result = await socket.result()
  const took = performance.now() - began
  await answered
  await socket.close()
  if (!scene.reasons.includes(String(result["terminal_reason"]))) {
    throw new Error(`the turn did not end as ${scene.reasons.join(" or ")}: ${JSON.stringify(result)}`)
  }
  const after = socket.frames.slice(known)
  const between = after.slice(0, after.indexOf(result)).map(({ type }) => type)
  return { took, between: between.filter((type) => type !== "control_response") }
}
