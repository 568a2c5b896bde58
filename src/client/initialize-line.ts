// Receives the app's `initialize` and what the command line configures of it; returns the line for the server.
// Invariant: a field of the line takes precedence over the command line, as in the official process; other lines are unchanged.
import { isPlainObject } from "../schemas/plain-object.ts"

type Fields = Readonly<Record<string, unknown>>

/** What the command line adds to `initialize`. */
export interface InitializeDefaults {
  /** Whether flags configure the system prompt. If neither flags nor `initialize` do, the official process uses the preset. */
  readonly hasPrompt: boolean
  /** MCP servers inside the app that the command line lists, with their configurations, by name. */
  readonly sdkServers: Readonly<Record<string, Fields>>
}

export const completeInitialize = (line: string, { hasPrompt, sdkServers }: InitializeDefaults): string => {
  const frame = line.includes('"initialize"') ? objectIn(line) : null
  const sent = frame?.["type"] === "control_request" ? frame["request"] : null
  if (!isPlainObject(sent) || sent["subtype"] !== "initialize") return line
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

const objectIn = (line: string): Fields | null => {
  try {
    const value: unknown = JSON.parse(line)
    return isPlainObject(value) ? value : null
  } catch {
    // The server reports a line that is no JSON.
    return null
  }
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
