// The diff of a file as a table: old and new line numbers, a sign, the line. Long diffs are folded.
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { diffCount, type DiffRow, diffRows, type Hunk } from "./diff-rows.ts"
import { count } from "./format.ts"
import { MoreButton } from "./text/more-button.tsx"
import { usePrinting } from "./use-printing.ts"
import { visibleText } from "./text/visible-text.ts"

interface DiffViewProps {
  readonly hunks: ReadonlyArray<Hunk>
  /** The table's name for screen readers: the file. */
  readonly name: string
  /** False if the line numbers of the hunks are not those of the file. */
  readonly hasLines?: boolean
}

const SHOWN = 40
/** Number of rows that each click adds. */
const MORE = 400
/** Headings that only screen readers read. */
const HEADS = ["Line before", "Line after", "Change", "Text"]
const SIGN = { same: " ", removed: "−", added: "+", gap: "", note: "" }
const SPOKEN = { same: "", removed: "removed", added: "added", gap: "", note: "" }

export const DiffView = ({ hunks, name, hasLines = true }: DiffViewProps) => {
  const shown = useSignal(SHOWN)
  const rows = useMemo(() => diffRows(hunks), [hunks])
  const most = usePrinting() ? rows.length : shown.value
  const hidden = rows.length - most
  if (rows.length === 0) return <p class="empty">Nothing differs.</p>
  return (
    <div class="diff">
      <div class="diff-scroll" role="group" aria-label={`Changes in ${visibleText(name)}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {HEADS.slice(hasLines ? 0 : 2).map((head) => (
                <th key={head} scope="col">
                  <span class="visually-hidden">{head}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row, index) => (
              <Row key={index} row={row} hasLines={hasLines} />
            ))}
          </tbody>
        </table>
      </div>
      {hidden > 0 ? (
        <MoreButton onMore={() => (shown.value += MORE)}>
          Show {count(Math.min(hidden, MORE))} more of {count(hidden)} lines
        </MoreButton>
      ) : null}
    </div>
  )
}

const Row = ({ row, hasLines }: { readonly row: DiffRow; readonly hasLines: boolean }) => {
  if (row.kind === "gap" && !hasLines) return null
  return (
    <tr class={row.kind}>
      {hasLines ? <td class="line">{row.before}</td> : null}
      {hasLines ? <td class="line">{row.after}</td> : null}
      <td class="sign">
        <span aria-hidden="true">{SIGN[row.kind]}</span>
        <span class="visually-hidden">{SPOKEN[row.kind]}</span>
      </td>
      <td class="text">{visibleText(row.text)}</td>
    </tr>
  )
}

/** "+3 −1", read as "3 added, 1 removed". */
export const DiffCounts = ({ hunks }: { readonly hunks: ReadonlyArray<Hunk> }) => {
  const { added, removed } = diffCount(hunks)
  return (
    <span class="diff-counts">
      <span class="added">
        +{count(added)}
        <span class="visually-hidden"> added</span>
      </span>{" "}
      <span class="removed">
        −{count(removed)}
        <span class="visually-hidden"> removed</span>
      </span>
    </span>
  )
}
