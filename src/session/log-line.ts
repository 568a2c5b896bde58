// Writes one line of the server's log, as JSON. An error gives its name and message: never a stack, never a cause.

export const logLine = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields: Readonly<Record<string, unknown>>,
): void => {
  const shown = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? `${value.name}: ${value.message}` : value,
    ]),
  )
  console[level](JSON.stringify({ level, message, ...shown }))
}
