// Writes one line of the server's log, as JSON. Of an error it writes name and message: never a stack, a cause or a secret.
import { redact } from "../net/redact.ts"

export const logLine = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields: Readonly<Record<string, unknown>>,
): void => {
  const shown = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? redact(`${value.name}: ${value.message}`) : value,
    ]),
  )
  console[level](JSON.stringify({ level, message, ...shown }))
}
