// The page: the official browser SDK on a session that the server created for it. It has a ticket and no key.
// `perch/client/browser` is imported first: it defines what the SDK's module needs while it loads.
import { perchStream } from "perch/client/browser"
import { query } from "@anthropic-ai/claude-agent-sdk/browser"

const session = await (await fetch("/session", { method: "POST" })).json()

/** Prompts that the user has typed and the SDK has not consumed yet. */
const waiting = []
let typed = Promise.withResolvers()

/** @returns {AsyncGenerator<import("@anthropic-ai/claude-agent-sdk/browser").SDKUserMessage>} */
async function* prompts() {
  for (;;) {
    await typed.promise
    typed = Promise.withResolvers()
    while (waiting.length > 0) {
      yield { type: "user", message: { role: "user", content: waiting.shift() }, parent_tool_use_id: null }
    }
  }
}

const show = (text) => {
  const item = document.createElement("li")
  item.textContent = text
  document.querySelector("#messages").append(item)
}

document.querySelector("#prompt").addEventListener("submit", (event) => {
  event.preventDefault()
  const field = document.querySelector("input")
  show(`You: ${field.value}`)
  waiting.push(field.value)
  field.value = ""
  typed.resolve(undefined)
})

const conversation = query({
  prompt: prompts(),
  ...perchStream(session),
  canUseTool: async (tool, input) =>
    confirm(`May it use ${tool}?`)
      ? { behavior: "allow", updatedInput: input }
      : { behavior: "deny", message: "The user denied it." },
})
for await (const message of conversation) {
  if (message.type === "assistant") {
    for (const block of message.message.content) {
      if (block.type === "text") show(`Agent: ${block.text}`)
      if (block.type === "tool_use") show(`Agent uses ${block.name}`)
    }
  }
  if (message.type === "result") show(`Done: ${message.subtype}`)
}
