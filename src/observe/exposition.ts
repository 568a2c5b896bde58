// Receives metrics with their samples; returns them in Prometheus' text format, version 0.0.4.
// Invariant: one HELP and one TYPE per metric, its samples together after them, values and labels escaped.

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  /** The suffix of a histogram's sample. */
  readonly suffix?: "_bucket" | "_sum" | "_count"
}

export interface Metric {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

export const exposition = (metrics: ReadonlyArray<Metric>): string =>
  metrics
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = "", labels = {}, value }) => `${name}${suffix}${labelText(labels)} ${number(value)}`),
      "",
    ])
    .join("\n")

const labelText = (labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

/**
 * Control characters, which a model's name may contain, would make the page binary to many readers. Each is replaced by `␛`
 * and its code in hex, and `␛` itself is doubled, so that two names never become the same.
 */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f␛]/g

const escaped = (value: string): string =>
  value
    .toWellFormed()
    .replace(UNSAFE, (char) => (char === "␛" ? "␛␛" : `␛${char.charCodeAt(0).toString(16).padStart(2, "0")}`))
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")

const number = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"

/** The samples of a histogram. `buckets` has, for each bound in seconds, the number of observations up to that bound. */
export const histogram = (
  bounds: ReadonlyArray<number>,
  { buckets, count, sum }: { readonly buckets: ReadonlyArray<number>; readonly count: number; readonly sum: number },
): ReadonlyArray<Sample> => [
  ...bounds.map((bound, at) => ({
    suffix: "_bucket" as const,
    labels: { le: String(bound) },
    value: buckets[at] ?? 0,
  })),
  { suffix: "_bucket", labels: { le: "+Inf" }, value: count },
  { suffix: "_sum", labels: {}, value: sum },
  { suffix: "_count", labels: {}, value: count },
]
