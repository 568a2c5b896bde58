// Receives the app's `initialize` and what the command line configures of it; returns the line for the server.
// Invariant: as in the official process, the command line replaces nothing that `initialize` contains. Lines that are no
// `initialize` are returned as they are.
import { isPlainObject } from "../schemas/plain-object.ts"
import { parsedLine } from "./line-kinds.ts"

type Fields = Readonly<Record<string, unknown>>

/** What the command line adds to `initialize`. */
export interface InitializeDefaults {
  /** Whether flags configure the system prompt. If neither flags nor `initialize` do, the official process uses the preset. */
  readonly hasPrompt: boolean
  /** MCP servers inside the app that the command line lists, with their configurations, by name. */
  readonly sdkServers: Readonly<Record<string, Fields>>
}

export const completeInitialize = (line: string, { hasPrompt, sdkServers }: InitializeDefaults): string => {
  if (!line.includes('"initialize"')) return line
  const frame = parsedLine(line)
  const { type, request: sent } = frame
  if (type !== "control_request" || !isPlainObject(sent) || sent["subtype"] !== "initialize") return line
  const request = withoutNulls(sent)
  const usesPreset = !hasPrompt && request["systemPrompt"] === undefined && request["appendSystemPrompt"] === undefined
  const completed = {
    ...request,
    ...(isPlainObject(request["hooks"]) ? { hooks: withoutNullMatchers(request["hooks"]) } : {}),
    ...(usesPreset ? { appendSystemPrompt: "" } : {}),
    ...(Object.keys(sdkServers).length === 0 ? {} : withServers(request, sdkServers)),
  }
  return JSON.stringify({ ...frame, request: completed })
}

/** The fields that the app has configured: the SDK for Python sends null for others. */
const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const withoutNullMatchers = (hooks: Fields): Fields =>
  Object.fromEntries(
    Object.entries(hooks).map(([event, matchers]) => [
      event,
      Array.isArray(matchers)
        ? matchers.map((matcher: unknown) => (isPlainObject(matcher) ? withoutNulls(matcher) : matcher))
        : matchers,
    ]),
  )

const withServers = (
  { sdkMcpServers: names, sdkMcpServerConfigs: configs }: Fields,
  servers: InitializeDefaults["sdkServers"],
): Fields => ({
  sdkMcpServers: [...new Set([...Object.keys(servers), ...(Array.isArray(names) ? names : [])])],
  sdkMcpServerConfigs: { ...servers, ...(isPlainObject(configs) ? configs : {}) },
})
