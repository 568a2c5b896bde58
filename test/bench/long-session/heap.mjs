// What the isolate of a Perch server holds, asked over workerd's inspector.
// Invariant: garbage is collected before anything is measured.

/** `inspector` is the address that `npm start -- --inspect` prints. Resolves to { used(), snapshot(), close() }. */
export const openHeap = async (inspector) => {
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
    return new Promise((resolve) => waiting.set(serial, resolve))
  }
  await call("HeapProfiler.enable")
  return {
    target,
    /** Bytes of the isolate's heap, and of the buffers beside it. */
    used: async () => {
      // What finalizers free is gone only after the next collection.
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
