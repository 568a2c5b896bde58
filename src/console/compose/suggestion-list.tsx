// The suggestions below the prompt's field. The field keeps the focus and refers to the active suggestion.
import { visibleText } from "../kit/text/visible-text.ts"
import type { Completion } from "./use-completion.ts"

export const SUGGESTIONS = "prompt-suggestions"

export const optionId = (index: number): string => `${SUGGESTIONS}-${index}`

export const SuggestionList = ({ completion }: { readonly completion: Completion }) => {
  const { value: shown } = completion.shown
  const active = completion.active.value
  return (
    <>
      <p class="visually-hidden" role="status">
        {shown.length === 0 ? "" : `${shown.length} suggestions. Arrow keys choose, Enter inserts, Escape closes.`}
      </p>
      {shown.length === 0 ? null : (
        <ul id={SUGGESTIONS} class="suggestions" role="listbox" aria-label="Suggestions">
          {shown.map(({ insert, detail, hint }, index) => (
            <li
              key={insert}
              id={optionId(index)}
              role="option"
              aria-selected={index === active}
              onMouseDown={(event) => {
                event.preventDefault()
                completion.choose(index)
              }}
            >
              <strong>{visibleText(insert)}</strong> {hint === "" ? null : <em>{visibleText(hint)}</em>}
              {detail === "" ? null : <span class="soft"> {visibleText(detail)}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
