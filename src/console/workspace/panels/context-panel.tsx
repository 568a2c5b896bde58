// The details of the context meter: the context window, its contents by category, and the individual tools, files and agents.
import { ErrorText } from "../../kit/error-text.tsx"
import { count } from "../../kit/format.ts"
import type { ContextUse } from "../../store/context-shapes.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { useContextUse } from "../../store/use-context.ts"
import { contextParts, share } from "./context-use.ts"

export const ContextPanel = ({ store }: { readonly store: SessionStore }) => {
  const { use, error, retry } = useContextUse(store)
  return (
    <div class="context-panel">
      <ErrorText unread="The context" error={error} onRetry={retry} />
      {use !== null ? (
        <ContextDetails use={use} />
      ) : error === null ? (
        <p class="loading" role="status">
          Loading…
        </p>
      ) : null}
    </div>
  )
}

const ContextDetails = ({ use }: { readonly use: ContextUse }) => (
  <>
    <p class="facts" role="status">
      <span>
        {count(use.totalTokens)} of {count(use.rawMaxTokens)} tokens ({share(use.totalTokens, use.rawMaxTokens)})
      </span>
      <span>{use.model}</span>
      {use.autoCompactThreshold === undefined ? null : (
        <span>compacted by itself at {count(use.autoCompactThreshold)}</span>
      )}
    </p>
    <meter
      min={0}
      max={use.rawMaxTokens}
      high={use.autoCompactThreshold ?? use.rawMaxTokens}
      value={use.totalTokens}
      aria-label="Context window"
    />
    <table class="numbers">
      <caption>By kind</caption>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Tokens</th>
          <th scope="col">Of the window</th>
        </tr>
      </thead>
      <tbody>
        {use.categories.map(({ name, tokens, kind }) => (
          <tr key={name} class={kind}>
            <th scope="row">{name}</th>
            <td>{count(tokens)}</td>
            <td>{share(tokens, use.rawMaxTokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {contextParts(use).map(({ title, tokens, items }) => (
      <details key={title}>
        <summary>
          {title}: {items.length}, {count(tokens)} tokens
        </summary>
        <table class="numbers">
          <tbody>
            {items.map(({ name, tokens: size }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{count(size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    ))}
  </>
)
