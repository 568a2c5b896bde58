// The minimal agent: @anthropic-ai/sdk in Node, with every tool answered by a constant. The lower bound of the bench.
import Anthropic from "@anthropic-ai/sdk"

export const MODEL = "claude-opus-5-5"
/** The content that Read returns: one kilobyte. */
export const FILE = `${"0123456789abcdef".repeat(4)}\n`.repeat(16).slice(0, 1024)

const tools = ["Read", "Write", "Bash"].map((name) => ({ name, input_schema: { type: "object" } }))

export const bareTarget = (apiUrl) => {
  const client = new Anthropic({ apiKey: "sk-test", baseURL: apiUrl, maxRetries: 0 })
  return {
    name: "bare loop",
    memoryMb: () => null,
    cpuMs: () => null,
    settled: async () => {},
    /** A session: `turn(prompt)` returns the milliseconds to the first text and to the result. */
    session: async () => {
      const messages = []
      const turn = async (prompt) => {
        const began = performance.now()
        let firstText
        messages.push({ role: "user", content: prompt })
        for (;;) {
          const stream = client.messages.stream({ model: MODEL, max_tokens: 1000, messages, tools })
          stream.on("text", () => (firstText ??= performance.now() - began))
          const message = await stream.finalMessage()
          messages.push({ role: "assistant", content: message.content })
          const calls = message.content.filter((block) => block.type === "tool_use")
          if (calls.length === 0) return { firstText, result: performance.now() - began }
          messages.push({
            role: "user",
            content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: FILE })),
          })
        }
      }
      return { turn, close: async () => {} }
    },
  }
}
