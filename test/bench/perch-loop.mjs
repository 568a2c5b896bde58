// A Perch server as the bench uses it: a session over REST, a prompt by POST with its stream as the only viewer, and,
// optionally, a client on the socket with two hooks that decide nothing.
import fs from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { groupMembers } from "../support/server/process/group-members.mjs"
import { PerchClient } from "../support/server/client.ts"
import { ControlSocket } from "../support/server/control-socket.ts"
import { FILE, MODEL } from "./bare-loop.mjs"

const OPTIONS = {
  model: MODEL,
  permissionMode: "bypassPermissions",
  allowDangerouslySkipPermissions: true,
  includePartialMessages: true,
}
const HOOKS = {
  PreToolUse: [{ hookCallbackIds: ["before"] }],
  PostToolUse: [{ hookCallbackIds: ["after"] }],
}
const LIMIT_MS = 120_000

const isWorkerd = ({ pid }) => /^Name:\s+workerd/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"))

const sum = (list) => list.reduce((total, one) => total + one, 0)

/** Resident memory of the group's workerd processes, in megabytes. */
const workerdMb = (pgid) => {
  const kilobytes = groupMembers(pgid)
    .filter(isWorkerd)
    .map(({ pid }) => Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0))
  return Math.round(sum(kilobytes) / 1024)
}

/** Processor time of the group's workerd processes in milliseconds; Linux counts hundredths of a second. */
const workerdCpuMs = (pgid) =>
  sum(
    groupMembers(pgid)
      .filter(isWorkerd)
      .map(({ pid }) => {
        const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")
        return (Number(fields[11]) + Number(fields[12])) * 10
      }),
  )

/** Deliveries to D1 and the Queue start about this long after a turn. */
const DELIVERS_AFTER_MS = 500
const QUIET_MS = 200

/** Resolves when workerd has no work left. */
const settled = async (pgid) => {
  await delay(DELIVERS_AFTER_MS)
  for (let before = workerdCpuMs(pgid), tries = 50; tries > 0; tries -= 1) {
    await delay(QUIET_MS)
    const now = workerdCpuMs(pgid)
    if (now - before <= 10) return
    before = now
  }
}

/** The maximum length of a frame's start that may be split over two chunks. */
const OVERLAP = 100

/**
 * The text of an SSE answer as it comes, each chunk behind the end of the one before. The viewer shares its process with
 * the API, so it does no more than it must.
 */
async function* textOf(response) {
  if (response.status !== 200) throw new Error(`the stream answered ${response.status}: ${await response.text()}`)
  const decoder = new TextDecoder()
  let text = "\n"
  for await (const chunk of response.body) {
    text = text.slice(-OVERLAP) + decoder.decode(chunk, { stream: true })
    yield text
  }
  throw new Error("the stream ended without a result")
}

const openHooks = async (server, id) => {
  const socket = await ControlSocket.open(server, id, {
    onFrame: (frame, self) => {
      if (frame.request?.subtype === "hook_callback") self.answer(frame, {})
      // Answered frames are no longer needed.
      self.frames.length = 0
    },
  })
  await socket.request({ subtype: "initialize", hooks: HOOKS })
  return socket
}

export const perchTarget = (server) => {
  const client = new PerchClient(server)
  return {
    name: "perch",
    memoryMb: () => workerdMb(server.pgid),
    cpuMs: () => workerdCpuMs(server.pgid),
    settled: () => settled(server.pgid),
    /** `cold`: the session is created by its first prompt. `extra`: options in addition to those of every session. */
    session: async ({ cold = false, hooks = false, extra = {} } = {}) => {
      let id = cold ? undefined : await client.createSession({ ...OPTIONS, ...extra }, { "/workspace/a.txt": FILE })
      const socket = hooks ? await openHooks(server, id) : undefined
      const turn = async (prompt) => {
        const began = performance.now()
        id ??= await client.createSession(OPTIONS)
        const response = await client.request("POST", `/v1/sessions/${id}/query`, {
          json: { prompt },
          headers: { accept: "text/event-stream" },
          limitMs: LIMIT_MS,
        })
        let firstText
        for await (const text of textOf(response)) {
          if (text.includes('"type":"text_delta"')) firstText ??= performance.now() - began
          if (text.includes('\ndata: {"type":"result"')) break
        }
        return { firstText, result: performance.now() - began }
      }
      const info = () => client.json("GET", `/v1/sessions/${id}`)
      return { id: () => id, info, turn, close: async () => socket?.close() }
    },
  }
}
