// A chart with bars or a line as SVG elements, with its numbers in a table below for people who can't or don't want to read it.
import { useSignal } from "@preact/signals"
import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { labelEvery, labelPlace, scaleOf } from "./chart-scale.ts"

interface Point {
  readonly label: string
  /** Null is a gap. */
  readonly value: number | null
}

interface ChartProps {
  readonly title: string
  readonly kind: "bars" | "line"
  readonly points: ReadonlyArray<Point>
  /** The minimum value at which the axis ends. */
  readonly atLeast?: number
  readonly format: (value: number) => string
  /** The format for the axis, whose values are round. */
  readonly formatTick?: (value: number) => string
  /** The heading of the table's first column. */
  readonly unit: string
}

const HEIGHT = 200
const LEFT = 64
const BOTTOM = 22
const TOP = 8
/** The width of a label below the chart, in pixels. */
const LABEL = 56

/** Where the values are in the SVG, in its own units. */
interface Plot {
  /** The centre of the point with this index. */
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  /** The width that a point may use. */
  readonly slot: number
}

export const Chart = ({ title, kind, points, atLeast = 0, format, formatTick = format, unit }: ChartProps) => {
  const element = useRef<SVGSVGElement>(null)
  const width = useWidth(element)
  const values = points.map(({ value }) => value ?? 0)
  const scale = scaleOf(values, atLeast)
  const slot = (width - LEFT) / Math.max(points.length, 1)
  const x = (index: number) => LEFT + slot * (index + 0.5)
  const y = (value: number) => TOP + (HEIGHT - BOTTOM - TOP) * (1 - value / scale.max)
  const every = labelEvery(points.length, Math.floor((width - LEFT) / LABEL))
  const Marks = kind === "bars" ? Bars : Line
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg
        ref={element}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`${title}. The table below has its numbers.`}
      >
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
            <text class="tick" x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {points.map(({ label }, index) =>
          index % every === 0 ? (
            <text key={index} class="tick" x={labelPlace(x(index), label, width)} y={HEIGHT - 6} text-anchor="middle">
              {label}
            </text>
          ) : null,
        )}
        <Marks points={points} plot={{ x, y, slot }} format={format} />
      </svg>
      <Numbers title={title} unit={unit} points={points} format={format} />
    </figure>
  )
}

/** The width of the element on the page: an SVG as wide as its element is not scaled down, with its letters, on a phone. */
const useWidth = (element: RefObject<SVGSVGElement | null>): number => {
  const width = useSignal(480)
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(() => (width.value = Math.max(current.clientWidth, 200)))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width.value
}

/** The table below a chart. It is rendered only while it is open. */
const Numbers = ({ title, unit, points, format }: Pick<ChartProps, "title" | "unit" | "points" | "format">) => {
  const isOpen = useSignal(false)
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Numbers</summary>
      {isOpen.value ? (
        <div class="table-scroll" tabIndex={0} role="group" aria-label={`${title}: numbers`}>
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">{unit}</th>
                <th scope="col">{title}</th>
              </tr>
            </thead>
            <tbody>
              {points.map(({ label, value }, index) => (
                <tr key={index}>
                  <th scope="row">{label}</th>
                  <td>{value === null ? "–" : format(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </details>
  )
}

interface MarksProps {
  readonly points: ReadonlyArray<Point>
  readonly plot: Plot
  readonly format: (value: number) => string
}

const Bars = ({ points, plot: { x, y, slot }, format }: MarksProps) => (
  <>
    {points.map(({ label, value }, index) =>
      value === null ? null : (
        <rect
          key={index}
          class="bar"
          x={x(index) - Math.min(slot * 0.35, 24)}
          width={Math.min(slot * 0.7, 48)}
          y={y(value)}
          height={Math.max(y(0) - y(value), 0)}
        >
          <title>{`${label}: ${format(value)}`}</title>
        </rect>
      ),
    )}
  </>
)

const Line = ({ points, plot: { x, y }, format }: MarksProps) => {
  const path = points
    .map(({ value }, index) => {
      if (value === null) return ""
      const previous = points[index - 1]
      return `${previous === undefined || previous.value === null ? "M" : "L"}${x(index)} ${y(value)}`
    })
    .join("")
  return (
    <>
      <path class="line" d={path} />
      {points.map(({ label, value }, index) =>
        value === null ? null : (
          <circle key={index} class="dot" cx={x(index)} cy={y(value)} r={3}>
            <title>{`${label}: ${format(value)}`}</title>
          </circle>
        ),
      )}
    </>
  )
}
