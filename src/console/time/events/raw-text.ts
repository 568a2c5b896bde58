// Reads an event in one of the formats of other clients: as in the log, as a signal, or as a message of the SDK.
import type { Transport } from "../../../client/api/transport.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import type { RawEvent } from "../past/marks.ts"

export type RawFormat = "log" | "signal" | "sdk"

interface SignalPage {
  readonly signals: ReadonlyArray<unknown>
}

/** The JSON of the event in the format, or a sentence if the event does not exist in that format. */
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

/** The SDK message of an event. The log stores SDK messages unchanged, with names that start with `sdk:`. */
const sdkText = ({ name, payload }: RawEvent): string =>
  name.startsWith("sdk:")
    ? JSON.stringify(payload, null, 2)
    : "This event is Perch's own: the SDK has no message for it."
