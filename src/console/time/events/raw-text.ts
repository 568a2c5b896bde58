// Reads an event in a format that other clients read: as the log has it, as a signal, or as a message of the SDK.
import type { Transport } from "../../../client/api/transport.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import type { RawEvent } from "../past/marks.ts"

export type RawFormat = "log" | "signal" | "sdk"

interface SignalPage {
  readonly signals: ReadonlyArray<unknown>
}

/** The JSON of the event in the format, or a sentence that it has none there. */
export const rawText = async (
  transport: Transport,
  session: string,
  event: RawEvent,
  format: RawFormat,
): Promise<string> => {
  if (format === "log") return JSON.stringify(event, null, 2)
  if (format === "sdk") return sdkText(event)
  const query = { after: event.seq - 1, limit: 1, format: "signal" }
  const page = await transport.json<SignalPage>("GET", sessionPath(session, "/events"), { query })
  return JSON.stringify(page.signals[0] ?? null, null, 2)
}

/** The log keeps messages of the SDK as they are, under names that begin with `sdk:`. */
export const sdkText = ({ name, payload }: RawEvent): string =>
  name.startsWith("sdk:")
    ? JSON.stringify(payload, null, 2)
    : "This event is Perch's own: the SDK has no message for it."
