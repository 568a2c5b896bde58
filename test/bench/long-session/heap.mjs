// The heap of a Perch server's isolate, read through workerd's inspector.
// Invariant: garbage is collected before each measurement.

const POKE_MS = 200

/**
 * `inspector` is the address that `npm start -- --inspect` prints. An isolate without a request may not answer: `poke` sends it one, which
 * reaches no session. Resolves to { used(), snapshot(), close() }.
 */
export const openHeap = async (inspector, poke) => {
  const targets = await (await fetch(new URL("/json", inspector.replace("ws:", "http:")))).json()
  const target = targets.find(({ id }) => id.includes("user:")) ?? targets[0]
  if (target === undefined) throw new Error("the inspector has no target")
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const waiting = new Map()
  let serial = 0
  let chunks = []
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true })
    socket.addEventListener("error", reject, { once: true })
  })
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result } = JSON.parse(data)
    if (method === "HeapProfiler.addHeapSnapshotChunk") chunks.push(params.chunk)
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  const call = (method, params = {}) => {
    serial += 1
    socket.send(JSON.stringify({ id: serial, method, params }))
    const poking = setInterval(() => void poke().catch(() => undefined), POKE_MS)
    return new Promise((resolve) => waiting.set(serial, resolve)).finally(() => clearInterval(poking))
  }
  await call("HeapProfiler.enable")
  return {
    target,
    /** Bytes of the isolate's heap, and of the buffers outside of it. */
    used: async () => {
      // Memory released by finalizers is gone only after the next collection.
      for (let left = 3; left > 0; left -= 1) await call("HeapProfiler.collectGarbage")
      const { usedSize, backingStorageSize = 0 } = await call("Runtime.getHeapUsage")
      return usedSize + backingStorageSize
    },
    snapshot: async () => {
      chunks = []
      await call("HeapProfiler.takeHeapSnapshot", { reportProgress: false })
      return chunks.join("")
    },
    close: () => socket.close(),
  }
}
