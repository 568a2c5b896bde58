// Builders of scripts for the scripted Messages API, and of the prompts that choose them.
import { randomBytes } from "node:crypto"

export const text = (value: string) => ({ type: "text", text: value })

/** A model's answer of one text; `extra` has further fields of the script's step. */
export const textAnswer = (value: string, extra: Readonly<Record<string, unknown>> = {}) => ({
  content: [text(value)],
  ...extra,
})

export const call = (name: string, input: Readonly<Record<string, unknown>>, id = toolUseId()) => ({
  type: "tool_use",
  id,
  name,
  input,
})

export const toolUseId = (): string => `toolu_${randomBytes(6).toString("hex")}`

/** A name that no other test uses: the scripted API is shared. */
export const scriptName = (name: string): string => `${name}-${randomBytes(4).toString("hex")}`

/** A prompt that makes the scripted API follow a script. */
export const promptFor = (name: string): string => `[[script:${name}]] go`
