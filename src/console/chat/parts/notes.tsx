// The short notes between texts and calls: usage of steps, changed files, retries, compactions, subtasks. The fields of a part depend
// on its type: type assertions here name those that the server's projection sets.
import type { Part, Tokens } from "../../store/frames.ts"
import { compact, count, usd } from "../../kit/format.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import { ChatFold } from "../chat-fold.tsx"
import { cacheHit } from "../message-facts.ts"

/** The usage and the cost of a model request. */
export const StepFacts = ({ part }: { readonly part: Part }) => {
  const { tokens, cost, reason } = part as {
    readonly tokens?: Tokens
    readonly cost?: number
    readonly reason?: string
  }
  if (tokens === undefined) return null
  const hit = cacheHit(tokens)
  const all = tokens.input + tokens.cache.read + tokens.cache.write
  return (
    <p class="step-facts">
      <span title={`${count(all)} tokens in, ${count(tokens.output)} tokens out`}>
        {compact(all)} in · {compact(tokens.output)} out
      </span>
      {hit === null || hit === 0 ? null : <span>cache {Math.round(hit * 100)}%</span>}
      {cost === undefined || cost === 0 ? null : <span>{usd(cost)}</span>}
      {reason === "max_tokens" ? <span class="warn">cut off: the answer reached its limit of tokens</span> : null}
      {reason === "refusal" ? <span class="warn">the model refused</span> : null}
    </p>
  )
}

export const PatchNote = ({ part }: { readonly part: Part }) => {
  // The server sends `files` with each part of the type `patch`.
  const { files = [] } = part as { readonly files?: ReadonlyArray<string> }
  return (
    <ChatFold
      id={part.id}
      class="note"
      head={<span>{files.length === 1 ? "1 file changed" : `${count(files.length)} files changed`} in this turn</span>}
    >
      {() => (
        <ul class="files">
          {files.map((file) => (
            <li key={file}>
              <code>{visibleText(file)}</code>
            </li>
          ))}
        </ul>
      )}
    </ChatFold>
  )
}

export const RetryNote = ({ part }: { readonly part: Part }) => {
  // The fields of the server's parts of the type `retry`.
  const { attempt, error } = part as {
    readonly attempt?: number
    readonly error?: { readonly data?: { readonly message?: string; readonly statusCode?: number } }
  }
  const status = error?.data?.statusCode
  return (
    <p class="note warn">
      ↻ Attempt {attempt} failed{status === undefined ? "" : ` with status ${status}`}:{" "}
      {error?.data?.message ?? "no reason given"}. It was tried again.
    </p>
  )
}

export const CompactionMark = ({ part }: { readonly part: Part }) => (
  <p class="mark">
    {(part as { readonly auto?: boolean }).auto === true // a field of the server's parts of the type `compaction`
      ? "The conversation was summarized because its window was nearly full."
      : "The conversation was summarized."}{" "}
    Of what is above, the model has only the summary.
  </p>
)

export const ResetMark = () => (
  <p class="mark">A new conversation starts here. The model does not remember what is above.</p>
)

/** Only for a command that runs as an agent, which has no card; the card of any other subagent shows its task. */
export const SubtaskNote = ({ part }: { readonly part: Part }) => {
  const { command, agent, description } = part as {
    readonly command?: string
    readonly agent?: string
    readonly description?: string
  }
  if (command === undefined) return null
  return (
    <p class="note">
      /{command} runs as the agent {agent}: {description}
    </p>
  )
}
