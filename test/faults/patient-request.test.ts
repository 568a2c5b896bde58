// Waits for a slow server and gives up on a dead one, however long either takes to answer.
import { spawn } from "node:child_process"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { type Activity, activityOf, patientRequest } from "./patient-request.ts"

const PATIENCE = { tryMs: 30, tries: 4 }

/** A server that answers from the `nth` request on. */
const serverThat = async (nth: number) => {
  const bodies: Array<string> = []
  const server = http.createServer((request, response) => {
    void request
      .toArray()
      .then((chunks) => bodies.push(chunks.join("")))
      .then((count) => count >= nth && response.end("set"))
      // The client gave up before it had sent the body.
      .catch(() => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, bodies, server }
}

const busy = () => {
  let ticks = 0
  return (): Activity => ({ ticks: (ticks += 100), runnable: false })
}
const starved = (): Activity => ({ ticks: 0, runnable: true })
const idle = (): Activity => ({ ticks: 7, runnable: false })

it.each([
  ["computes", busy()],
  ["waits for a processor", starved],
])("a server that %s is asked again until it answers", async (_, look) => {
  const { url, bodies } = await serverThat(3)
  const answer = await patientRequest(url, "{}", look, { ...PATIENCE, tries: Number.POSITIVE_INFINITY })
  expect(await answer.text()).toBe("set")
  expect(bodies.slice(0, 3)).toEqual(["{}", "{}", "{}"])
})

it("a busy server that never answers is given up after the last attempt", async () => {
  const { url, bodies } = await serverThat(99)
  await expect(patientRequest(url, "{}", busy(), PATIENCE)).rejects.toThrow("is busy and has not answered 4 requests")
  expect(bodies.length).toBeLessThanOrEqual(4)
})

it("a server that is alive but idle, has ended, or refuses the connection is given up after one attempt", async () => {
  const { url, bodies, server } = await serverThat(99)
  await expect(patientRequest(url, "{}", idle, PATIENCE)).rejects.toThrow("has computed nothing for 30 ms")
  await expect(patientRequest(url, "{}", () => null, PATIENCE)).rejects.toThrow("has ended")
  expect(bodies.length).toBeLessThanOrEqual(2)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  // Without a short time limit, which may be over before the refusal is noticed.
  await expect(patientRequest(url, "{}", busy())).rejects.toThrow("refused the connection")
})

it("the activity of a process group is read from the system; a group that has ended is null", async () => {
  const child = spawn(process.execPath, ["-e", "for (;;);"], { detached: true, stdio: "ignore" })
  const group = child.pid ?? 0
  onTestFinished(() => void child.kill("SIGKILL"))
  await expect.poll(() => activityOf(group)).toMatchObject({ runnable: true })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGKILL")
  await ended
  expect(activityOf(group)).toBeNull()
})
