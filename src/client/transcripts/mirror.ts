// Keeps a copy of the conversation where software on this machine looks for it: in transcript files, or in the app's
// sessionStore, which the SDK fills from frames. Receives the lines of both directions.
// Invariant: a copy that can't be written causes one warning; the session itself continues.
import type { Entry } from "./transcript.ts"
import { Transcript } from "./transcript.ts"
import { historyOf, TranscriptFiles, transcriptFolder } from "./transcript-file.ts"
import { messageOf } from "../api/message-of.ts"

export interface MirrorOptions {
  /** Write files. */
  readonly files: boolean
  /** Send frames to the SDK, which has a sessionStore. */
  readonly frames: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Writes a line to the SDK. */
  readonly writeLine: (json: string) => void
}

export class Mirror {
  readonly #options: MirrorOptions
  readonly #files: TranscriptFiles
  #transcript: Transcript | undefined
  #sessionId = ""
  /** Lines that the SDK sent before the session was open. */
  #early: Array<string> = []
  #failed = false

  private constructor(options: MirrorOptions, folder: string) {
    this.#options = options
    this.#files = new TranscriptFiles(folder)
  }

  /** Undefined when no copy is wanted, or when the environment names no folder for it. */
  static of(options: MirrorOptions): Mirror | undefined {
    const folder = options.files || options.frames ? transcriptFolder(options.env, options.cwd) : undefined
    return folder === undefined ? undefined : new Mirror(options, folder)
  }

  /** The conversation of a session's local file, up to the entry `at`, as history for a new session; undefined if there is none. */
  historyOf(sessionId: string, at?: string): ReadonlyArray<Entry> | undefined {
    const entries = this.#tried(() => this.#files.conversation(sessionId, at)) ?? []
    return entries.length === 0 ? undefined : historyOf(entries)
  }

  /** Starts the copy of a session that was opened; `parent` is the session that it was forked from. */
  begin(sessionId: string, parent?: string): void {
    this.#sessionId = sessionId
    const own = this.#tried(() => this.#files.conversation(sessionId)) ?? []
    const copied = own.length > 0 || parent === undefined ? [] : this.#copied(parent, sessionId)
    const uuids = [...own, ...copied].map(({ uuid }) => String(uuid))
    this.#transcript = new Transcript({
      sessionId,
      cwd: this.#options.cwd,
      uuids,
      now: Date.now,
    })
    this.#write(copied)
    for (const line of this.#early.splice(0)) this.sent(line)
  }

  #copied(parent: string, sessionId: string): ReadonlyArray<Entry> {
    let leaf: unknown = null
    return (this.#tried(() => this.#files.conversation(parent)) ?? []).map((entry) => {
      const copy = { ...entry, parentUuid: leaf, sessionId }
      leaf = entry["uuid"]
      return copy
    })
  }

  sent(line: string): void {
    if (this.#transcript === undefined) this.#early.push(line)
    else this.#write(this.#transcript.sent(line))
  }

  passed(json: string): void {
    if (this.#transcript !== undefined) this.#write(this.#transcript.passed(json))
  }

  #write(entries: ReadonlyArray<Entry>): void {
    if (entries.length === 0) return
    const { files, frames, writeLine } = this.#options
    if (files) this.#tried(() => this.#files.append(this.#sessionId, entries))
    if (frames) {
      writeLine(JSON.stringify({ type: "transcript_mirror", filePath: this.#files.pathOf(this.#sessionId), entries }))
    }
  }

  #tried<Value>(run: () => Value): Value | undefined {
    try {
      return run()
    } catch (error) {
      if (!this.#failed) {
        const why = messageOf(error)
        process.emitWarning(
          `The local transcript of Perch session ${this.#sessionId} is not complete: ${why}`,
          "PerchWarning",
        )
      }
      this.#failed = true
      return undefined
    }
  }
}
