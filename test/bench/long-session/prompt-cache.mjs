// Simulates the Messages API's prompt cache: a request reads the longest prefix that an earlier one wrote at a breakpoint, at
// most 20 blocks before one of its own breakpoints, and writes up to its last breakpoint.
// Invariant: blocks are compared by their JSON without `cache_control`; sizes are its characters.
import { createHash } from "node:crypto"

const LOOK_BACK = 20

const blocksOf = ({ tools = [], system = [], messages }) => {
  const systemBlocks = typeof system === "string" ? [{ type: "text", text: system }] : system
  const inMessages = messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) => ({ role, ...block })),
  )
  return [...tools, ...systemBlocks, ...inMessages]
}

export const createPromptCache = () => {
  const written = new Set()
  return {
    /** `{ input, cached }`: the size of the request, and how much of it was cached. */
    see: (request) => {
      let hash = ""
      let size = 0
      const places = blocksOf(request).map(({ cache_control: control, ...block }) => {
        const json = JSON.stringify(block)
        hash = createHash("sha1").update(hash).update(json).digest("hex")
        size += json.length
        return { hash, size, marked: control !== undefined && control !== null }
      })
      const marks = places.flatMap(({ marked }, index) => (marked ? [index] : []))
      const reached = marks.flatMap((at) => places.slice(Math.max(0, at - LOOK_BACK), at + 1))
      const cached = Math.max(0, ...reached.filter(({ hash }) => written.has(hash)).map(({ size }) => size))
      for (const at of marks) written.add(places[at].hash)
      return { input: size, cached }
    },
  }
}
