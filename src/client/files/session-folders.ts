// Synchronizes the folders that a run of the official SDK names with its session: sends them before the first prompt,
// downloads changes after each turn, or warns that the session does not have the files.
// Invariant: a prompt runs only after all folders were sent; paths that could not be are reported to `onSync` or on stderr.
import fs from "node:fs"
import path from "node:path"
import { perchClient } from "../api/perch-client.ts"
import { LaunchError } from "../launch/launch-error.ts"
import type { Selection } from "./ignore-rules.ts"
import { pullFolder } from "./pull.ts"
import { pushFolder } from "./push.ts"
import { reportLines } from "./report-lines.ts"
import type { SyncOptions, SyncReport } from "./sync-options.ts"
import { messageOf } from "../api/message-of.ts"

/** The report of an upload or a download. */
export interface SyncEvent {
  readonly direction: "upload" | "download"
  readonly session_id: string
  readonly report: SyncReport
}

/** Whether the app's folders are sent to the session, and changes downloaded. */
export interface FolderOptions {
  /**
   * True sends the folders of `cwd` and `additionalDirectories` before the first prompt: only changes since the last time, and
   * nothing that `.gitignore` ignores. An object selects what is sent. False sends nothing, and unlike undefined, without a
   * warning.
   */
  readonly upload?: boolean | Selection
  /** True downloads changes into those folders after each turn, before the app receives its result. */
  readonly download?: boolean
  /** Receives every report; without it, paths that could not be synchronized are written to stderr. */
  readonly onSync?: (event: SyncEvent) => void
}

interface Place {
  readonly folder: string
  readonly remote: string
}

/** Folders that were warned about: once per process is enough. */
const warned = new Set<string>()

export class SessionFolders {
  readonly #options: FolderOptions & { readonly url: string; readonly apiKey: string }
  #session: string | undefined
  #places: ReadonlyArray<Place> = []

  constructor(options: FolderOptions & { readonly url: string; readonly apiKey: string }) {
    this.#options = options
  }

  get downloads(): boolean {
    return this.#options.download === true && this.#places.length > 0
  }

  /** Called when the session is open; sends the folders. `cwd` is the run's own. Throws LaunchError when a folder can't be sent. */
  async opened(
    session: { readonly id: string; readonly cwd: string; readonly created: boolean },
    cwd: string | undefined,
    additional: ReadonlyArray<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { upload, download } = this.#options
    this.#session = session.id
    const places = [
      { folder: path.resolve(cwd ?? "."), remote: session.cwd },
      ...additional
        .filter((folder) => folder.startsWith("/"))
        .map((folder) => ({ folder, remote: withoutSlash(folder) })),
    ]
    if (upload === undefined || upload === false) {
      this.#places = download === true ? places : []
      if (upload === undefined && session.created) warn(session.id, cwd === undefined ? places.slice(1) : places)
      return
    }
    this.#places = places
    for (const place of places) {
      if (!isFolder(place.folder))
        throw new LaunchError(`${place.folder} is not a folder of this machine, so it can't be sent`)
      await this.#run("upload", place, signal)
    }
  }

  /** Called when a turn has ended; downloads the changes. Never throws: a failure is written to stderr. */
  async turnEnded(signal: AbortSignal): Promise<void> {
    if (!this.downloads) return
    for (const place of this.#places) {
      try {
        await this.#run("download", place, signal)
      } catch (error) {
        if (signal.aborted) return
        printWarning(`changes of the session were not brought into ${place.folder}: ${messageOf(error)}`)
      }
    }
  }

  async #run(direction: SyncEvent["direction"], { folder, remote }: Place, signal: AbortSignal): Promise<void> {
    const { url, apiKey, upload, onSync } = this.#options
    const session_id = this.#session ?? ""
    const client = perchClient({ url, apiKey })
    const options: SyncOptions = {
      files: client.session(session_id).files,
      folder,
      remote,
      url: client.url,
      session: session_id,
      selection: typeof upload === "object" ? upload : {},
      signal,
    }
    try {
      const report = await (direction === "upload" ? pushFolder : pullFolder)(options)
      if (onSync !== undefined) onSync({ direction, session_id, report })
      else if (report.leftOut.length + report.conflicts.length > 0 || report.stateError !== null) {
        const verb = direction === "upload" ? "sent" : "brought back"
        for (const line of reportLines({ ...report, ignored: [] }, `${folder} ${verb}`)) printWarning(line)
      }
    } catch (error) {
      if (direction === "download" || signal.aborted) throw error
      throw new LaunchError(`${folder} could not be sent: ${messageOf(error)}`)
    }
  }
}

const warn = (session: string, places: ReadonlyArray<Place>): void => {
  for (const { folder } of places) {
    if (warned.has(folder) || !isFolder(folder) || fs.readdirSync(folder).length === 0) continue
    warned.add(folder)
    printWarning(
      `the files of ${folder} are on this machine and not in the session, whose folder is empty. Send them with perch({ …, upload: true }), or \`npx perch push ${session} ${folder}\`; set upload: false if they are not needed there.`,
    )
  }
}

const isFolder = (folder: string): boolean => {
  try {
    return fs.statSync(folder).isDirectory()
  } catch {
    // It does not exist or is not accessible.
    return false
  }
}

const withoutSlash = (folder: string): string => (folder.length > 1 ? folder.replace(/\/+$/, "") : folder)

const printWarning = (line: string): void => void process.stderr.write(`perch: ${line}\n`)
