// The official Node SDK on Perch: `perch()` takes the place of its local process. Hooks, tools and answers stay in this
// process; the loop, its files and its log are on the server.
//   PERCH_URL=http://127.0.0.1:8787 PERCH_KEY=… node examples/node-sdk.mjs
import { query } from "@anthropic-ai/claude-agent-sdk"
import { perch } from "perch/client"

const server = perch({ url: process.env.PERCH_URL ?? "http://127.0.0.1:8787", apiKey: process.env.PERCH_KEY ?? "" })

/** Runs a prompt to its end; returns the result. */
const run = async (prompt, options = {}) => {
  for await (const message of query({ prompt, options: { ...server, ...options } })) {
    if (message.type === "result") return message
  }
  throw new Error("the turn ended without a result")
}

const first = await run("Create haiku.txt with the text: no disk, no container", {
  // Called for everything that no rule allows.
  canUseTool: async (tool, input) => {
    console.log("asked:", tool, input.file_path)
    return { behavior: "allow", updatedInput: input }
  },
  hooks: {
    PostToolUse: [
      {
        hooks: [
          async (input) => {
            if (input.hook_event_name === "PostToolUse") console.log("hook:", input.tool_name)
            return {}
          },
        ],
      },
    ],
  },
})
console.log("result:", first.subtype)

// The session is stored on the server: any process can resume it by its id.
const second = await run("Read haiku.txt", { resume: first.session_id })
console.log("result:", second.subtype === "success" ? second.result : second.subtype)
