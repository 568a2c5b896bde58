// The messages and parts that a log of turns becomes, for the tests of its fold.
import { Schema } from "effect"
import { type AssistantInfo, Message, type Part, type ToolPart } from "../../../src/schemas/parts.ts"
import { SESSION, TurnLog } from "../session/turn-log.ts"
import { projectParts } from "../values/project-parts.ts"

export const project = (log: TurnLog): ReadonlyArray<Message> => {
  const messages = projectParts(SESSION, log.events)
  // The fold's output must match the schema exactly.
  Schema.decodeUnknownSync(Schema.Array(Message))(messages, { onExcessProperty: "error" })
  return messages
}

export const answers = (log: TurnLog) => project(log).filter((message) => message.info.role === "assistant")

export const infoOf = (message: Message | undefined) => message?.info as AssistantInfo

export const types = (parts: ReadonlyArray<Part> | undefined) => parts?.map((part) => part.type)

export const tools = (messages: ReadonlyArray<Message>) =>
  messages.flatMap((message) => message.parts).filter((part): part is ToolPart => part.type === "tool")

/** A log in which a turn has started. */
export const begun = (prompt: unknown = "Hello", options = {}) => {
  const log = new TurnLog()
  log.queued(prompt, options)
  log.init()
  return log
}
