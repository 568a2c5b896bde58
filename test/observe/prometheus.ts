// Reads Prometheus' text format strictly, as promtool does: names, types, order, escapes, histograms.
export interface Family {
  readonly type: string
  readonly samples: Array<{
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
  }>
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)|[+-]Inf|NaN)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

const labelsOf = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const [, name, value] = LABEL.exec(text) ?? []
    if (name === undefined || value === undefined) throw new Error(`no labels: ${text}`)
    if (Object.hasOwn(labels, name)) throw new Error(`the label ${name} is there twice`)
    labels[name] = value.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char))
  }
  return labels
}

/** Throws an error that names the first line that promtool would reject. */
export const parseExposition = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, Family>()
  const helped = new Set<string>()
  const seen = new Set<string>()
  let current = ""
  for (const line of text.split("\n")) {
    if (line === "") continue
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === "HELP") {
      if (helped.has(name)) throw new Error(`a second HELP of ${name}`)
      helped.add(name)
      continue
    }
    if (kind === "TYPE") {
      if (families.has(name) || !["counter", "gauge", "histogram"].includes(rest)) throw new Error(line)
      families.set(name, { type: rest, samples: [] })
      current = name
      continue
    }
    const [, sample = "", labels = "", value = ""] = SAMPLE.exec(line) ?? []
    const family = families.get(current)
    const suffixes = family?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    if (family === undefined || !suffixes.some((suffix) => sample === current + suffix)) throw new Error(line)
    if (seen.has(`${sample}{${labels}}`)) throw new Error(`a second sample: ${line}`)
    seen.add(`${sample}{${labels}}`)
    family.samples.push({ name: sample, labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) })
  }
  for (const [name, { type, samples }] of families) {
    if (!helped.has(name)) throw new Error(`${name} has no HELP`)
    if (type === "counter" && !name.endsWith("_total"))
      throw new Error(`${name} is a counter and does not end in _total`)
    if (type !== "histogram") continue
    const buckets = samples.filter((sample) => sample.name.endsWith("_bucket"))
    if (buckets.at(-1)?.labels["le"] !== "+Inf") throw new Error(`${name} has no +Inf bucket`)
    if (buckets.some(({ value }, at) => value < (buckets[at - 1]?.value ?? 0))) throw new Error(`${name} falls`)
    const count = samples.find((sample) => sample.name.endsWith("_count"))
    if (count?.value !== buckets.at(-1)?.value) throw new Error(`${name} counts something else`)
  }
  return families
}
