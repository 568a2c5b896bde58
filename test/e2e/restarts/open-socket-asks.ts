// Permission asks of prompts that were sent over a socket, while the server is killed. For restart.test.ts.
import { expect } from "vitest"
import type { ApiLog } from "../../support/session/api-log.ts"
import type { PerchClient } from "../../support/server/client.ts"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const PATH = "/workspace/asked.txt"
const ALLOW = { behavior: "allow" }

/** A session in mode `default` whose prompt was sent over a socket and waits for permission to write a file. */
const askedOverSocket = async (perch: PerchClient, api: ApiLog, name: string) => {
  const script = scriptName(name)
  await api.set(script, [
    { content: [call("Write", { file_path: PATH, content: "written\n" })] },
    textAnswer("Finished."),
  ])
  const id = await perch.createSession({ permissionMode: "default" })
  const socket = await ControlSocket.open(perch, id)
  await socket.request({ subtype: "initialize" })
  socket.prompt(promptFor(script))
  return { id, ask: await socket.asked("can_use_tool") }
}

/** Opens one to be answered over REST and one over a socket; call the returned function when the server runs again. */
export const openSocketAsks = async (perch: PerchClient, api: ApiLog): Promise<() => Promise<void>> => {
  const overRest = await askedOverSocket(perch, api, "killed-rest")
  const overSocket = await askedOverSocket(perch, api, "killed-socket")
  return async () => {
    expect(await perch.asks(overRest.id)).toMatchObject([{ request_id: overRest.ask.request_id }])
    await perch.answer(overRest.id, String(overRest.ask.request_id), ALLOW)

    const socket = await ControlSocket.open(perch, overSocket.id)
    const { pending_permission_requests: pending } = await socket.request({ subtype: "initialize" })
    expect(pending).toEqual([overSocket.ask])
    socket.answer(pending![0]!, ALLOW)
    expect(await socket.result()).toMatchObject({ subtype: "success", result: "Finished." })
    await socket.close()
    for (const { id } of [overRest, overSocket]) {
      const events = await perch.eventsUntilResults(id, 1)
      expect(events.filter(({ name }) => name === "ask:settled")).toHaveLength(1)
      expect(events.filter(({ name }) => name === "ask:opened")).toHaveLength(1)
      expect(await perch.getFile(id, PATH)).toBe("written\n")
    }
  }
}
