// Selects the answer to a request: the script that its messages name, and that script's turn for the step and the attempt.

const MARKER = /\[\[script:([A-Za-z0-9_.-]+)\]\]/g
const COMPACT_PROMPT =
  /summary of (the|this|our) conversation|summari[sz]e (the|this|our) conversation|detailed summary|CRITICAL: Respond with TEXT ONLY/i
const DEFAULT_SIDE_TURN = { content: [{ type: "text", text: '{"title":"side","isNewTopic":false}' }] }

/** The text of a message's content: text blocks, and text inside tool results. */
function textOf(content) {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((block) => (block.type === "tool_result" ? textOf(block.content) : (block.text ?? ""))).join("\n")
}

/** Only the text blocks: markers inside tool results do not choose a script. */
function ownTextOf(content) {
  if (typeof content === "string") return content
  return (content ?? [])
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n")
}

/** Finds the script's name and the step of a request. */
export function locate(messages) {
  let name = null
  let markedAt = -1
  messages.forEach((message, index) => {
    if (message.role !== "user") return
    const marker = [...ownTextOf(message.content).matchAll(MARKER)].at(-1)
    if (marker === undefined) return
    name = marker[1]
    markedAt = index
  })
  const after = markedAt < 0 ? [] : messages.slice(markedAt + 1)
  return { name, step: after.filter((message) => message.role === "assistant").length }
}

/** Stores the scripts and selects the answer to a request. */
export class ScriptBook {
  scripts = new Map()
  attempts = new Map()

  set(name, script) {
    this.scripts.set(name, Array.isArray(script) ? { turns: script } : script)
    for (const key of this.attempts.keys()) {
      if (key.startsWith(`${name}#`)) this.attempts.delete(key)
    }
  }

  kindOf(body, script) {
    const lastUser = (body.messages ?? []).findLast((message) => message.role === "user")
    if (script?.compact && COMPACT_PROMPT.test(textOf(lastUser?.content))) return "compact"
    return (body.tools ?? []).length === 0 && !script?.allowNoTools ? "side" : "main"
  }

  turnFor(kind, { name, step }, body) {
    const script = this.scripts.get(name)
    const turn = this.choose(kind, script, { name, step }, body)
    return script?.usage === undefined ? turn : { ...turn, usage: { ...script.usage, ...turn.usage } }
  }

  choose(kind, script, { name, step }, body) {
    if (kind === "compact") {
      return Array.isArray(script.compact) ? this.nextAttempt(`${name}#compact`, script.compact) : script.compact
    }
    if (kind === "side") return script?.side ?? DEFAULT_SIDE_TURN
    if (script?.byModel?.[body.model]) return script.byModel[body.model]
    const turns = script?.turns ?? []
    const turn = turns[Math.min(step, turns.length - 1)]
    if (Array.isArray(turn)) return this.nextAttempt(`${name}#${step}`, turn)
    return turn ?? { content: [{ type: "text", text: `no script for ${name}` }] }
  }

  nextAttempt(key, turns) {
    const attempt = this.attempts.get(key) ?? 0
    this.attempts.set(key, attempt + 1)
    return turns[Math.min(attempt, turns.length - 1)]
  }
}
