// A text of any length, unformatted: the beginning, its size, and the rest after a click.
import { useSignal } from "@preact/signals"
import { bytes, counted } from "./format.ts"
import { MoreButton } from "./text/more-button.tsx"
import { usePrinting } from "./use-printing.ts"
import { cutText } from "./text/cut-text.ts"

interface LongTextProps {
  readonly text: string
  readonly label: string
  /** Shows the end instead of the beginning, for output that is still growing. */
  readonly end?: boolean
}

const MORE = 200_000

export const LongText = ({ text, label, end = false }: LongTextProps) => {
  const limit = useSignal<number | null>(null)
  const isPrinting = usePrinting()
  const most = limit.value ?? (isPrinting ? MORE : null)
  const cut = cutText(text, most === null ? {} : { maxLength: most, maxLines: Number.POSITIVE_INFINITY }, end)
  return (
    <div class="long-text">
      <pre role="group" tabIndex={0} aria-label={label}>
        {cut.text}
      </pre>
      {cut.isWhole ? null : (
        <MoreButton onMore={() => (limit.value = (limit.value ?? 0) + MORE)}>
          Show more of {bytes(cut.size ?? 0)} ({counted(cut.lines, "line")})
        </MoreButton>
      )}
    </div>
  )
}
