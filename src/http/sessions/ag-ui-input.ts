// Receives the input of an AG-UI run, which repeats the conversation; returns its new parts: the prompt and the results of
// the app's tools, as Perch's API accepts them.
// Invariant: messages that were sent before are not sent to the session again.
import type { AgUiMessage, ContentPart, RunAgentInput } from "../../schemas/api/ag-ui/run-input.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"

type Message<Role extends AgUiMessage["role"]> = Extract<AgUiMessage, { readonly role: Role }>

export interface NewInput {
  /** The content of the last user messages, those since the answer before them; empty when there are none. */
  readonly prompt: ReadonlyArray<Block>
  /** Whether an answer follows the prompt: the run was sent before. */
  readonly answered: boolean
  /** The messages up to and including the prompt: those that the client had when the run started. */
  readonly before: ReadonlyArray<AgUiMessage>
  /** Tool results after the last answer. */
  readonly results: ReadonlyArray<Message<"tool">>
}

export const newInputOf = ({ messages }: RunAgentInput): NewInput => {
  const isAnswer = ({ role }: AgUiMessage) => role === "assistant"
  const lastUser = messages.findLastIndex(({ role }) => role === "user")
  const lastAnswer = messages.findLastIndex(isAnswer)
  const answeredBefore = messages.slice(0, Math.max(lastUser, 0)).findLastIndex(isAnswer)
  const prompts = messages.slice(answeredBefore + 1, lastUser + 1).filter((one) => one.role === "user")
  return {
    prompt: prompts.flatMap(({ content }) => blocksOfParts(content)),
    answered: lastAnswer > lastUser,
    before: messages.slice(0, lastUser + 1),
    results: messages.slice(lastAnswer + 1).filter((one) => one.role === "tool"),
  }
}

/**
 * The messages up to a call's message and its results, which are those that a client keeps when the run continues; undefined
 * when no other messages follow.
 */
export const upToCall = (
  messages: ReadonlyArray<AgUiMessage>,
  calls: ReadonlySet<string>,
): ReadonlyArray<AgUiMessage> | undefined => {
  const holder = messages.findLastIndex(
    (one) => one.role === "assistant" && (one.toolCalls ?? []).some(({ id }) => calls.has(id)),
  )
  if (holder < 0) return undefined
  const after = messages.findIndex(({ role }, index) => index > holder && role !== "tool" && role !== "activity")
  return after < 0 ? undefined : messages.slice(0, after)
}

/**
 * The results of a run that had no prompt, in an input that repeats it after a part of its answer was received: those of the
 * last message with a call among `calls`. Empty when there is none since the prompt.
 */
export const repeatedResults = (
  messages: ReadonlyArray<AgUiMessage>,
  calls: ReadonlySet<string>,
): ReadonlyArray<Message<"tool">> => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1)
  const holder = since.findLast(
    (one) => one.role === "assistant" && (one.toolCalls ?? []).some(({ id }) => calls.has(id)),
  )
  const own = holder?.role === "assistant" ? (holder.toolCalls ?? []).map(({ id }) => id) : []
  return since.flatMap((one) =>
    one.role === "tool" && own.includes(one.toolCallId) && calls.has(one.toolCallId) ? [one] : [],
  )
}

export const blocksOfParts = (content: string | ReadonlyArray<ContentPart>): ReadonlyArray<Block> =>
  typeof content === "string" ? textBlocks(content) : content.flatMap(blockOf)

const textBlocks = (text: string): ReadonlyArray<Block> => (text === "" ? [] : [{ type: "text", text }])

const blockOf = (part: ContentPart): ReadonlyArray<Block> => {
  if (part.type === "text") return textBlocks(part.text)
  const { source } = part
  if (source.type === "url") return [{ type: part.type, source: { type: "url", url: source.value } }]
  return source.mimeType.startsWith("text/")
    ? [{ type: part.type, source: { type: "text", media_type: "text/plain", data: decodedText(source.value) } }]
    : [{ type: part.type, source: { type: "base64", media_type: source.mimeType, data: source.value } }]
}

/** The text of a document, which the model's API accepts only as text. */
const decodedText = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))

/** The turn's prompt: the app's context, for a new session the messages so far, and the prompt itself. */
export const promptOf = (
  { context = [] }: RunAgentInput,
  { prompt, before }: NewInput,
  isNew: boolean,
): string | ReadonlyArray<Block> => {
  const about = context.map(({ description, value }) => `${description}: ${value}`)
  const past = isNew ? before.flatMap(lineOf) : []
  const texts = [
    ...(about.length === 0 ? [] : [`Context from the app:\n${about.join("\n")}`]),
    ...(past.length === 0 ? [] : [`The conversation so far:\n${past.join("\n")}`]),
  ]
  const blocks = [...texts.flatMap(textBlocks), ...prompt]
  const [only] = blocks
  return blocks.length === 1 && only?.type === "text" ? String(only["text"]) : blocks
}

const lineOf = (message: AgUiMessage, index: number, all: ReadonlyArray<AgUiMessage>): ReadonlyArray<string> => {
  const { role } = message
  if (role !== "assistant" && role !== "user") return []
  // Messages that no answer follows are the prompt itself.
  if (!all.slice(index).some((later) => later.role === "assistant")) return []
  const { content } = message
  const text =
    typeof content === "string"
      ? content
      : blocksOfParts(content ?? "")
          .flatMap(({ text: one }) => (typeof one === "string" ? [one] : []))
          .join("\n")
  return text === "" ? [] : [`${role}: ${text}`]
}

/** The options of the turn: those that the app forwards, and its tools. */
export const optionsOf = ({ tools = [], forwardedProps }: RunAgentInput): SessionOptions => ({
  ...(tools.length === 0 ? {} : { clientTools: tools.map(clientTool) }),
  ...forwardedProps?.options,
})

/** The app's instructions, which are appended to the turn's system prompt; empty if there are none. */
export const instructionsOf = ({ messages }: RunAgentInput): string =>
  messages
    .flatMap((one) => (one.role === "system" || one.role === "developer" ? [one.content] : []))
    .filter((text) => text.trim() !== "")
    .join("\n\n")

const clientTool = ({ name, description, parameters }: NonNullable<RunAgentInput["tools"]>[number]) => ({
  name,
  // AG-UI allows an empty description; the name is then the only information.
  description: description.trim() === "" ? name : description,
  inputSchema: { type: "object", ...parameters },
})

/** Converts a result of the app's tool to the answer that the session accepts. */
export const resultOf = ({ content, error }: Message<"tool">): Readonly<Record<string, unknown>> => {
  const blocks = typeof content === "string" ? content : blocksOfParts(content)
  if (error !== undefined && error !== "") return { content: content === "" ? error : blocks, is_error: true }
  return { content: blocks.length === 0 ? "" : blocks }
}
