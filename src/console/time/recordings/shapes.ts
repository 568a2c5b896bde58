// Recordings in the shapes of the API.

export interface Recording {
  readonly id: string
  readonly kind: "workflow" | "session"
  readonly name: string
  readonly tags: ReadonlyArray<string>
  readonly created_at: string
  readonly finalized: boolean
  readonly duration_ms: number
  readonly signals: number
  readonly answers: number
  readonly bytes: number
  readonly source: { readonly session_id?: string; readonly run_id?: string; readonly workflow?: string }
}

export interface RecordingDetails extends Recording {
  readonly checkpoints: ReadonlyArray<{ readonly name: string; readonly index: number; readonly timestamp: string }>
}

export interface ReplayReport {
  readonly recording_id: string
  readonly session_id: string | null
  readonly status: "running" | "ended"
  readonly equal: boolean | null
  readonly events: number
  readonly difference: {
    readonly part: string
    readonly index: number | null
    readonly recorded: string | null
    readonly got: string | null
    readonly text: string
  } | null
  readonly not_found: string | null
}

export const recordingPath = (id: string, rest = ""): string => `/v1/recordings/${encodeURIComponent(id)}${rest}`

/** Parses typed tags, which are separated by commas. */
export const tagsOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
  ),
]
