// The changes between two checkpoints, or between one and now, with an action to rewind to a checkpoint.
import { type Signal, useComputed, useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { sessionPath } from "../../../client/api/transport.ts"
import { messageOf } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import { visibleText } from "../../kit/text/visible-text.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { Past } from "../../time/past/past.ts"
import type { FileDiff } from "../../../schemas/api/files.ts"
import { type Changes, changesText, type Checkpoint, type Comparison, comparisonOf, labelled } from "./checkpoints.ts"
import { Difference } from "./difference.tsx"
import { RewindQuestion } from "./rewind-question.tsx"

/** The texts of the loaded prompts, by their uuids. */
const promptsOf = ({ conversation }: SessionStore): ReadonlyMap<string, string> =>
  new Map(
    conversation.ids.value.flatMap((id) => {
      const message = conversation.message(id)
      const uuid = message?.info.value.sdk?.uuid
      if (message === undefined || uuid === undefined || message.info.value.role !== "user") return []
      const texts = message.parts.value.map((part) => conversation.part(part)?.value)
      return [[uuid, texts.map((part) => (part?.type === "text" ? part.text : "")).join(" ")] as const]
    }),
  )

export const ChangesPanel = ({ store }: { readonly store: SessionStore }) => {
  const rewindTo = useSignal<string | null>(null)
  const { checkpoints, compared, choose, changes, error, retry } = useChanges(store)
  return (
    <div class="changes-panel">
      <ErrorText unread="The changes" error={error} onRetry={retry} />
      {checkpoints === null ? (
        error === null ? (
          <p class="loading" role="status">
            Loading…
          </p>
        ) : null
      ) : compared === null ? (
        <p class="empty">There is no checkpoint yet. Each prompt that changes files makes one.</p>
      ) : (
        <>
          <div class="compare">
            <ComparisonFields checkpoints={checkpoints} compared={compared} onChoose={choose} />
            <button onClick={() => (rewindTo.value = compared.from)}>Rewind files…</button>
          </div>
          {changes === null && error !== null ? null : <ChangeList changes={changes} />}
        </>
      )}
      {rewindTo.value === null ? null : (
        <RewindQuestion
          store={store}
          uuid={rewindTo.value}
          label={checkpoints?.find(({ uuid }) => uuid === rewindTo.value)?.label ?? rewindTo.value}
          onDone={() => store.noteFileChanges()}
          onClose={() => (rewindTo.value = null)}
        />
      )}
    </div>
  )
}

/** Reads the checkpoints of the session, and the changes between the two that are compared. */
const useChanges = (store: SessionStore) => {
  const uuids = useSignal<ReadonlyArray<string> | null>(null)
  const from = useSignal<string | null>(null)
  const to = useSignal<string | null>(null)
  const changes = useSignal<Changes | null>(null)
  const error = useSignal<string | null>(null)
  const attempt = useSignal(0)
  const prompts = usePrompts(store, uuids)
  const checkpoints = useComputed(() => labelled(uuids.value ?? [], prompts.value))
  const compared = useComputed(() => comparisonOf(checkpoints.value, from.value, to.value))
  const key = JSON.stringify([compared.value, attempt.value, store.fileChanges.value])

  useEffect(() => {
    const stop = new AbortController()
    const load = async () => {
      error.value = null
      try {
        uuids.value = await store.server.client.session(store.id).checkpoints({ signal: stop.signal })
        if (compared.value === null) return
        changes.value = await store.server.transport.json<Changes>("GET", sessionPath(store.id, "/diff"), {
          query: { from: compared.value.from, to: compared.value.to ?? undefined },
          signal: stop.signal,
        })
      } catch (cause) {
        if (!stop.signal.aborted) error.value = messageOf(cause)
      }
    }
    void load()
    return () => stop.abort()
  }, [key, store])

  return {
    /** Null until they have been read. */
    checkpoints: uuids.value === null ? null : checkpoints.value,
    /** Null when there is no checkpoint. */
    compared: compared.value,
    choose: (choice: Partial<Comparison>) => {
      if (choice.from !== undefined) from.value = choice.from
      if (choice.to !== undefined) to.value = choice.to
    },
    changes: changes.value,
    error: error.value,
    retry: () => (attempt.value += 1),
  }
}

/** The texts of prompts by their uuids. Only the newest messages are loaded: earlier prompts are read from the log. */
const usePrompts = (store: SessionStore, uuids: Signal<ReadonlyArray<string> | null>) => {
  const past = useMemo(() => new Past(store.server, store.id), [store])
  const prompts = useComputed(
    () => new Map([...past.marks.value.map(({ turn, text }) => [turn, text] as const), ...promptsOf(store)]),
  )
  const isPartial = uuids.value?.some((uuid) => !prompts.value.has(uuid)) ?? false
  useEffect(() => {
    if (isPartial) void past.readMarks()
  }, [past, isPartial])
  return prompts
}

interface ComparisonFieldsProps {
  readonly checkpoints: ReadonlyArray<Checkpoint>
  readonly compared: Comparison
  readonly onChoose: (choice: Partial<Comparison>) => void
}

const ComparisonFields = ({ checkpoints, compared, onChoose }: ComparisonFieldsProps) => (
  <>
    <label>
      From before
      <select value={compared.from} onChange={(event) => onChoose({ from: event.currentTarget.value })}>
        {checkpoints.map(({ uuid, label }) => (
          <option key={uuid} value={uuid}>
            {label}
          </option>
        ))}
      </select>
    </label>
    <label>
      To
      <select value={compared.to ?? ""} onChange={(event) => onChoose({ to: event.currentTarget.value || null })}>
        <option value="">Now</option>
        {checkpoints.map(({ uuid, label }) => (
          <option key={uuid} value={uuid}>
            Before {label}
          </option>
        ))}
      </select>
    </label>
  </>
)

const ChangeList = ({ changes }: { readonly changes: Changes | null }) => {
  if (changes === null)
    return (
      <p class="loading" role="status">
        Comparing…
      </p>
    )
  return (
    <>
      <p class="facts" role="status">
        {changesText(changes)}
      </p>
      <ul class="change-list">
        {changes.files.map((diff) => (
          <li key={diff.file}>
            <Change diff={diff} />
          </li>
        ))}
      </ul>
    </>
  )
}

const Change = ({ diff }: { readonly diff: FileDiff }) => {
  const isOpen = useSignal(false)
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <span class="change-file">{visibleText(diff.file)}</span>
        <span class="badge">{diff.status}</span>
        <span class="change-count">
          +{diff.additions} −{diff.deletions}
        </span>
      </summary>
      {!isOpen.value ? null : diff.binary === true ? (
        <p class="empty">The content is no text.</p>
      ) : (
        <>
          {diff.truncated === true ? <p class="empty">Cut at 100,000 characters.</p> : null}
          <Difference before={diff.before} after={diff.after} path={diff.file} />
        </>
      )}
    </details>
  )
}
