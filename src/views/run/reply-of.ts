// Receives the parameters of a run that shape its replies; returns them in the form of the session option `reply`.
// Invariant: a field of `reply` itself takes precedence over the parameter with the same meaning.
import type { ReplyRoute, ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { AgentRunRequest } from "../../schemas/runs/run-request.ts"

type Shaping = Pick<
  AgentRunRequest,
  | "reply"
  | "verboseLevel"
  | "reasoningLevel"
  | "blockReplyBreak"
  | "blockReplyChunking"
  | "enforceFinalTag"
  | "currentMessageId"
  | "messageProvider"
  | "agentAccountId"
  | "messageTo"
  | "messageThreadId"
>

export const replyOf = (params: Shaping): ReplySettings => {
  const { verboseLevel, reasoningLevel, blockReplyBreak, blockReplyChunking, enforceFinalTag, currentMessageId } =
    params
  const route = routeOf(params)
  return {
    ...(verboseLevel === undefined ? {} : { shouldEmitToolResult: verboseLevel !== "off" }),
    ...(verboseLevel === undefined ? {} : { shouldEmitToolOutput: verboseLevel === "full" }),
    ...(reasoningLevel === undefined ? {} : { reasoningLevel }),
    ...(blockReplyBreak === undefined ? {} : { blockReplyBreak }),
    ...(blockReplyChunking === undefined ? {} : { blockReplyChunking }),
    ...(enforceFinalTag === undefined ? {} : { enforceFinalTag }),
    ...(currentMessageId === undefined ? {} : { currentMessageId: String(currentMessageId) }),
    ...(route === undefined ? {} : { route }),
    ...params.reply,
  }
}

/** The route from which the message came: a message that a tool sends there counts as a reply. */
const routeOf = ({
  messageProvider: provider,
  agentAccountId: accountId,
  messageTo: to,
  messageThreadId: threadId,
}: Shaping): ReplyRoute | undefined => {
  const route = {
    ...(provider === undefined ? {} : { provider }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(to === undefined ? {} : { to }),
    ...(threadId === undefined ? {} : { threadId: String(threadId) }),
  }
  return Object.keys(route).length === 0 ? undefined : route
}
