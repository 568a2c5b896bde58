// One ask: its title, who asks and why, the countdown, the content for its kind, and the error of a failed answer.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Ask } from "../../client/api/session-shapes.ts"
import { intoView } from "../kit/into-view.ts"
import { serverNow } from "../store/server-time.ts"
import type { SessionStore } from "../store/session-store.ts"
import { type AskProps, useAnswering } from "./answering.ts"
import { agentOf, nextTick, remaining, runningAgents, titleOf } from "./ask-model.ts"
import { ClientToolAsk } from "./client-tool-ask.tsx"
import { ElicitationAsk } from "./elicitation-ask.tsx"
import { OutcomeAsk } from "./outcome-ask.tsx"
import { PermissionAsk } from "./permission-ask.tsx"
import { PlanAsk } from "./plan-ask.tsx"
import { QuestionAsk } from "./question-ask.tsx"

interface CardProps {
  readonly store: SessionStore
  readonly ask: Ask
}

export const AskCard = ({ store, ask }: CardProps) => {
  const answering = useAnswering(store, ask)
  const agent = agentOf(ask, ask.agent_id === undefined ? [] : runningAgents(partsOf(store)))
  const heading = `ask-${ask.request_id}`
  return (
    <article
      class="ask"
      data-ask={ask.kind}
      tabIndex={-1}
      aria-labelledby={heading}
      aria-busy={answering.isBusy.value}
      aria-keyshortcuts="Alt+A"
    >
      <header>
        <h2 id={heading}>{titleOf(ask)}</h2>
        <p class="facts">
          {agent === null ? null : <span class="badge">{agent}</span>}
          <Countdown expiresAt={ask.expires_at} />
        </p>
      </header>
      <Body ask={ask} answering={answering} />
      {answering.error.value === null ? null : (
        <p ref={intoView} class="error" role="alert">
          {answering.error.value}
        </p>
      )}
    </article>
  )
}

const partsOf = ({ conversation }: SessionStore) =>
  conversation.ids
    .peek()
    .flatMap((id) => conversation.message(id)?.parts.peek() ?? [])
    .flatMap((id) => conversation.part(id)?.peek() ?? [])

const Body = (props: AskProps) => {
  switch (props.ask.kind) {
    case "question":
      return <QuestionAsk {...props} />
    case "plan":
      return <PlanAsk {...props} />
    case "client_tool":
      return <ClientToolAsk {...props} />
    case "outcome":
      return <OutcomeAsk {...props} />
    case "elicitation":
      return <ElicitationAsk {...props} />
    default:
      return <PermissionAsk {...props} />
  }
}

const Countdown = ({ expiresAt }: { readonly expiresAt: string }) => {
  const now = useSignal(serverNow())
  const every = nextTick(expiresAt, now.value)
  useEffect(() => {
    const timer = setInterval(() => (now.value = serverNow()), every)
    return () => clearInterval(timer)
  }, [every])
  return <time dateTime={expiresAt}>{remaining(expiresAt, now.value)}</time>
}
