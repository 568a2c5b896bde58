// A Perch server as the bench drives it: a session by REST, a prompt by POST with its stream as the one viewer, and, if
// asked for, a client on the socket whose two hooks say nothing.
import fs from "node:fs"
import { groupMembers } from "../../scripts/local/processes.mjs"
import { PerchClient } from "../support/client.ts"
import { ControlSocket } from "../support/control-socket.ts"
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

/** Resident megabytes of the group's workerd processes. */
const workerdMb = (pgid) => {
  const kilobytes = groupMembers(pgid).map(({ pid }) => {
    const status = fs.readFileSync(`/proc/${pid}/status`, "utf8")
    return /^Name:\s+workerd/m.test(status) ? Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) : 0
  })
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024)
}

const openHooks = async (server, id) => {
  const socket = await ControlSocket.open(server, id, {
    onFrame: (frame, self) => {
      if (frame.request?.subtype === "hook_callback") self.answer(frame, {})
      // What was answered is not needed any more.
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
    /** `cold`: the session is made with its first prompt, as part of it. */
    session: async ({ cold = false, hooks = false } = {}) => {
      let id = cold ? undefined : await client.createSession(OPTIONS, { "/workspace/a.txt": FILE })
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
        await client.collect(response, {
          until: ({ type, event }) => {
            if (event?.delta?.type === "text_delta") firstText ??= performance.now() - began
            return type === "result"
          },
        })
        return { firstText, result: performance.now() - began }
      }
      return { turn, close: async () => socket?.close() }
    },
  }
}
