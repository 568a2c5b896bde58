// The scrubber over a session's log: a range input whose ticks are turns, buttons for steps, and play.
// Keys on the range: arrows step by event, with Shift or PageUp and PageDown by turn, Home and End to the ends.
import type { ReadonlySignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { count } from "../../kit/format.ts"
import { type Mark, markAt, type Step, stepOfKey, thinned } from "./marks.ts"

const TICKS = 200

interface ScrubberProps {
  /** Null means now. */
  readonly place: number | null
  readonly last: number
  /** Whether the log has no event at the place. */
  readonly isMissing: boolean
  readonly marks: ReadonlySignal<ReadonlyArray<Mark>>
  readonly isPlaying: boolean
  readonly onPlace: (place: number | null) => void
  readonly onStep: (step: Step) => void
  readonly onPlay: () => void
}

export const Scrubber = (props: ScrubberProps) => {
  const { place, last, isMissing, marks, isPlaying, onPlace, onStep, onPlay } = props
  const value = place ?? last
  const mark = markAt(marks.value, value)
  const position = mark === undefined ? 0 : marks.value.indexOf(mark) + 1
  const turn = mark === undefined ? "before the first turn" : `turn ${count(position)} of ${count(marks.value.length)}`
  const now = mark === undefined ? `Now, event ${count(last)}` : `Now, event ${count(last)}, ${turn}`
  const known = isMissing ? `No event ${count(value)}` : `Event ${count(value)} of ${count(last)}, ${turn}`
  const text = place === null ? now : known
  return (
    <div class="scrubber">
      <div class="scrubber-track">
        <input
          type="range"
          min={1}
          max={Math.max(1, last)}
          step={1}
          value={value}
          aria-label="Place in the log"
          aria-valuetext={text}
          aria-describedby="scrubber-keys"
          onInput={({ currentTarget }) =>
            onPlace(currentTarget.valueAsNumber >= last ? null : currentTarget.valueAsNumber)
          }
          onKeyDown={(event) => {
            const step =
              event.ctrlKey || event.metaKey || event.altKey ? undefined : stepOfKey(event.key, event.shiftKey)
            if (step === undefined) return
            event.preventDefault()
            onStep(step)
          }}
        />
        <div class="scrubber-ticks" aria-hidden="true">
          {thinned(marks.value, TICKS).map(({ seq, text: prompt }) => (
            <i key={seq} title={prompt} style={{ left: `${((seq - 1) / Math.max(1, last - 1)) * 100}%` }} />
          ))}
        </div>
      </div>
      <ScrubberButtons isNow={place === null} canPlay={last >= 2} isPlaying={isPlaying} onStep={onStep} onPlay={onPlay}>
        <output class="scrubber-place">{text}</output>
      </ScrubberButtons>
      <p id="scrubber-keys" class="hint">
        Arrow keys step by event, with Shift by turn.
      </p>
    </div>
  )
}

interface ScrubberButtonsProps extends Pick<ScrubberProps, "isPlaying" | "onStep" | "onPlay"> {
  readonly isNow: boolean
  readonly canPlay: boolean
  /** Shown after the buttons. */
  readonly children: ComponentChildren
}

const ScrubberButtons = ({ isNow, canPlay, isPlaying, onStep, onPlay, children }: ScrubberButtonsProps) => (
  <div class="scrubber-controls" role="group" aria-label="Steps">
    <button onClick={() => onStep("turn-back")} aria-label="Previous turn" title="Previous turn (Shift + ←)">
      |◀
    </button>
    <button onClick={() => onStep("event-back")} aria-label="Previous event" title="Previous event (←)">
      ◀
    </button>
    <button class="primary" onClick={onPlay} disabled={!canPlay}>
      {isPlaying ? "Pause" : "Play"}
    </button>
    <button onClick={() => onStep("event-on")} aria-label="Next event" title="Next event (→)" disabled={isNow}>
      ▶
    </button>
    <button onClick={() => onStep("turn-on")} aria-label="Next turn" title="Next turn (Shift + →)" disabled={isNow}>
      ▶|
    </button>
    <button onClick={() => onStep("last")} disabled={isNow}>
      Now
    </button>
    {children}
  </div>
)
