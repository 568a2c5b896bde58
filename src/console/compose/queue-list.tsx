// The queued prompts, which run after the current turn, each with a button to withdraw it.
import { newUuid } from "../../client/api/new-uuid.ts"
import { computed, useComputed, useSignal, useSignalEffect } from "@preact/signals"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { PerchError } from "../../client/api/perch-error.ts"
import { wait } from "../../client/api/transport.ts"
import type { Prompt } from "../../client/api/session-shapes.ts"
import { isSignedIn, messageOf } from "../app/server.ts"
import type { SessionStore } from "../store/session-store.ts"
import { textOfPrompt } from "./outbox.ts"
import { onAccepted } from "./outboxes.ts"
import { Queue, type Queued } from "./queue.ts"
import { useLeaveFocus } from "./sending/leave-focus.ts"

const TURNS = 30
/** The time between two attempts to read the outcome of a request whose response was lost. */
const PAUSE_MS = 2000

/** The queue entry for a prompt of the conversation. */
const promptOf = ({ conversation }: SessionStore, message: string): Queued => {
  const { info, parts } = conversation.message(message) ?? {}
  const texts = parts?.value.map((part) => conversation.part(part)?.value) ?? []
  return {
    id: info?.peek().sdk?.uuid ?? message,
    text: texts.flatMap((part) => (part?.type === "text" && part.text !== undefined ? [part.text] : [])).join("\n"),
  }
}

const queueOf = (store: SessionStore): Queue => {
  const { server, id } = store
  const client = server.client.session(id)
  return new Queue({
    waiting: computed(() => store.waiting.value.map((message) => promptOf(store, message))),
    isLoaded: (uuid) => store.conversation.hasPrompt(uuid),
    turns: async () => (await client.turns({ limit: TURNS, order: "desc" })).data,
    eventAt: async (seq) => (await client.log({ after: seq - 1, limit: 1 })).events[0],
    turn: (turn) => client.turn(turn),
    pauseAfter: async (error) => {
      if (!(error instanceof PerchError) || !error.retryable || !isSignedIn(server)) throw error
      await wait(PAUSE_MS, undefined)
    },
    cancel: async (turn) => {
      const request = { subtype: "cancel_async_message", message_uuid: turn }
      const payload = { type: "control_request", request_id: newUuid(), request }
      await server.transport.send("POST", `/v1/sessions/${id}/events`, { json: { events: [{ payload }] } })
    },
  })
}

interface ButtonProps {
  readonly isDisabled: boolean
  readonly onClick: () => void
  readonly children: string
}

const TakeBackButton = ({ isDisabled, onClick, children }: ButtonProps) => {
  useLeaveFocus()
  return (
    <button type="button" disabled={isDisabled} onClick={onClick}>
      {children}
    </button>
  )
}

interface ListProps {
  readonly store: SessionStore
  readonly onTaken: (prompt: Prompt) => void
}

export const QueueList = ({ store, onTaken }: ListProps) => {
  const queue = useMemo(() => queueOf(store), [store])
  const error = useSignal<string | null>(null)
  /** The prompt that is being withdrawn. */
  const busy = useSignal<string | null>(null)
  const wasRead = useRef(false)
  const attempt = (work: () => Promise<void>) =>
    work().then(
      () => (error.value = null),
      (cause: unknown) => (error.value = messageOf(cause)),
    )

  useEffect(
    () =>
      onAccepted(store.id, ({ uuid, prompt }) => {
        // A prompt that starts immediately is not queued: the stream adds it to the conversation. One that was withdrawn elsewhere
        // may have been removed before the response arrived.
        const isOver = store.state.value === "idle" || store.conversation.wasRemoved(uuid)
        if (!isOver) queue.accepted({ id: uuid, text: textOfPrompt(prompt) })
      }),
    [queue],
  )
  // Loaded prompts are updated by the stream. Older ones are read again whenever a turn begins or ends, or a message arrives.
  const place = useComputed(() => `${store.state.value} ${store.conversation.ids.value.length}`)
  useSignalEffect(() => {
    void place.value
    queue.settle()
    const mayHaveOlder = store.state.peek() !== "idle" && store.olderCursor.peek() !== null && !store.isLoading.value
    if (queue.hasOlder || (mayHaveOlder && !wasRead.current)) void attempt(() => queue.refresh())
    if (mayHaveOlder) wasRead.current = true
  })

  const takeBack = async (id: string) => {
    busy.value = id
    await attempt(async () => {
      const prompt = await queue.takeBack(id)
      if (prompt === null) throw new Error("This prompt runs already: stop it with Stop.")
      onTaken(prompt)
    })
    busy.value = null
  }

  const { value: queued } = queue.queued
  if (queued.length === 0 && error.value === null) return null
  return (
    <section class="queue" aria-label="Queued prompts">
      <ul>
        {queued.map(({ id, text }, index) => (
          <li key={id}>
            <span class="badge">{index === 0 ? "next" : `queued ${index + 1}`}</span>
            <span class="queue-text">{text}</span>
            <TakeBackButton isDisabled={busy.value !== null} onClick={() => void takeBack(id)}>
              {busy.value === id ? "Taking back…" : "Take back"}
            </TakeBackButton>
          </li>
        ))}
      </ul>
      {error.value === null ? null : (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
    </section>
  )
}
