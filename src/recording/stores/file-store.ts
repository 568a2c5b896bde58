// The store of recordings in files, for Node: a folder for each recording, with `signals.jsonl` (one signal per line),
// `metadata.json`, `checkpoints.json`, `answers.jsonl` and `chunks.jsonl`.
// Invariant: a folder gets its name when it is complete, so that a crash leaves the previous recording or the new one; the
// next save removes what a crash left. A line that is no signal, a file above its limit, and a recording that lacks signals
// are errors that name it.
import fs from "node:fs/promises"
import path from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { Signal } from "../../schemas/signal.ts"
import { RecordingId } from "../../schemas/api/recordings.ts"
import { RecordedAnswer, type Recording, RecordingCheckpoint, RecordingMetadata } from "../recording.ts"
import { missingRecording, pageOf, recordingOf, RecordingStore } from "../recording-store.ts"

/** The most bytes of one file of a recording. */
const MAX_FILE = 256 * 1024 * 1024

const isId = Schema.is(RecordingId)
/** The prefix of a folder that is being written, or that a crashed process left. */
const UNFINISHED = ".unfinished-"
const REPLACED = ".replaced-"

const Chunk = Schema.Struct({ hash: Schema.String, value: Schema.Json })

const decode = <A, I>(shape: Schema.Codec<A, I>) => Schema.decodeUnknownSync(shape)
const decodeSignal = decode(Signal)
const decodeAnswer = decode(RecordedAnswer)
const decodeChunk = decode(Chunk)
const decodeStored = decode(RecordingMetadata)
/** Recordings that other programs write in this format have no kind and no version: they are of workflows, version 1. */
const decodeMetadata = (text: string): RecordingMetadata => {
  const stored: unknown = JSON.parse(text)
  return decodeStored(isPlainObject(stored) ? { kind: "workflow", version: 1, ...stored } : stored)
}
const decodeCheckpoints = decode(Schema.Array(RecordingCheckpoint))

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

class Folder {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** The folder of a recording. Throws for an invalid id, which could be a path. */
  #place(id: string): string {
    if (!isId(id)) throw new Error(`A recording's id has 1 to 64 letters, digits, _ or -. Got ${JSON.stringify(id)}.`)
    return path.join(this.#root, id)
  }

  async write(id: string, { metadata, signals, checkpoints, answers, chunks }: Recording): Promise<void> {
    const place = this.#place(id)
    await fs.mkdir(this.#root, { recursive: true })
    await this.#tidy(id)
    const building = await fs.mkdtemp(path.join(this.#root, `${UNFINISHED}${id}-`))
    const listed = Object.entries(chunks).map(([hash, value]) => ({ hash, value }))
    await this.#put(building, "signals.jsonl", linesOf(signals))
    await this.#put(building, "answers.jsonl", linesOf(answers))
    await this.#put(building, "chunks.jsonl", linesOf(listed))
    await this.#put(building, "checkpoints.json", `${JSON.stringify(checkpoints, null, 2)}\n`)
    await this.#put(building, "metadata.json", `${JSON.stringify(metadata, null, 2)}\n`)
    // A rename can't replace a folder that is not empty.
    const replaced = path.join(this.#root, `${REPLACED}${id}`)
    await fs.rename(place, replaced).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    await fs.rename(building, place)
    await fs.rm(replaced, { recursive: true, force: true })
  }

  async #put(folder: string, name: string, text: string): Promise<void> {
    if (Buffer.byteLength(text) > MAX_FILE) throw new Error(`${name} would be larger than ${MAX_FILE} bytes.`)
    const file = await fs.open(path.join(folder, name), "wx")
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  }

  /** Cleans up after a save that did not finish: restores the previous recording, and removes the unfinished one. */
  async #tidy(id: string): Promise<void> {
    const replaced = path.join(this.#root, `${REPLACED}${id}`)
    const names = await fs.readdir(this.#root)
    if (names.includes(path.basename(replaced))) {
      if (names.includes(id)) await fs.rm(replaced, { recursive: true, force: true })
      else await fs.rename(replaced, path.join(this.#root, id))
    }
    for (const name of names) {
      if (name.startsWith(`${UNFINISHED}${id}-`))
        await fs.rm(path.join(this.#root, name), { recursive: true, force: true })
    }
  }

  /** The folder of a recording, or null. Between the two renames of a save the recording has its other name. */
  async #folder(id: string): Promise<string | null> {
    for (const folder of [this.#place(id), path.join(this.#root, `${REPLACED}${id}`)]) {
      const there = await fs.stat(path.join(folder, "metadata.json")).catch((error: unknown) => {
        if (isMissing(error)) return null
        throw error
      })
      if (there !== null) return folder
    }
    return null
  }

  async exists(id: string): Promise<boolean> {
    return (await this.#folder(id)) !== null
  }

  async metadata(id: string): Promise<RecordingMetadata | null> {
    const folder = await this.#folder(id)
    return folder === null ? null : decodeMetadata(await textOf(folder, "metadata.json"))
  }

  async read(id: string): Promise<Recording | null> {
    const folder = await this.#folder(id)
    if (folder === null) return null
    const chunks = await itemsOf(folder, "chunks.jsonl", decodeChunk)
    const metadata = decodeMetadata(await textOf(folder, "metadata.json"))
    const signals = await itemsOf(folder, "signals.jsonl", decodeSignal)
    const { length } = signals
    if (metadata.finalized && metadata.signalCount !== length) {
      throw new Error(`signals.jsonl has ${length} signals, and metadata.json counts ${metadata.signalCount}.`)
    }
    return {
      // A program that writes signals as they occur may not have updated their count.
      metadata: { ...metadata, signalCount: length },
      signals,
      checkpoints: decodeCheckpoints(JSON.parse(await textOf(folder, "checkpoints.json", "[]"))),
      answers: await itemsOf(folder, "answers.jsonl", decodeAnswer),
      chunks: Object.fromEntries(chunks.map(({ hash, value }) => [hash, value])),
    }
  }

  async ids(): Promise<ReadonlyArray<string>> {
    const names = await fs.readdir(this.#root).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    const ids = names.map((name) => (name.startsWith(REPLACED) ? name.slice(REPLACED.length) : name))
    return [...new Set(ids.filter(isId))]
  }

  async remove(id: string): Promise<void> {
    const place = this.#place(id)
    const names = await fs.readdir(this.#root).catch(() => [])
    // The metadata go first: without them the recording does not exist, so a crash in between leaves nothing that is listed.
    await fs.rm(path.join(this.#root, `${REPLACED}${id}`), { recursive: true, force: true })
    await fs.rm(path.join(place, "metadata.json"), { force: true })
    await fs.rm(place, { recursive: true, force: true })
    for (const name of names) {
      if (name.startsWith(`${UNFINISHED}${id}-`))
        await fs.rm(path.join(this.#root, name), { recursive: true, force: true })
    }
  }
}

const linesOf = (items: ReadonlyArray<unknown>): string => items.map((item) => `${JSON.stringify(item)}\n`).join("")

/** The text of a file; `absent` is returned for a missing file that other programs may not write. */
const textOf = async (folder: string, name: string, absent?: string): Promise<string> => {
  const file = path.join(folder, name)
  try {
    const { size } = await fs.stat(file)
    if (size > MAX_FILE) throw new Error(`${name} is larger than ${MAX_FILE} bytes.`)
    return await fs.readFile(file, "utf8")
  } catch (error) {
    if (isMissing(error) && absent !== undefined) return absent
    throw error
  }
}

const itemsOf = async <A>(folder: string, name: string, read: (value: unknown) => A): Promise<ReadonlyArray<A>> => {
  const lines = (await textOf(folder, name, "")).split("\n")
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return []
    try {
      return [read(JSON.parse(line))]
    } catch (cause) {
      throw new Error(`Line ${index + 1} of ${name} is not readable.`, { cause })
    }
  })
}

/** A store in the folder `root`. Files that can't be read or written are defects, because the folder is the program's own. */
export const fileStore = (root: string): RecordingStore["Service"] => {
  const folder = new Folder(root)
  return {
    save: Effect.fnUntraced(function* (id, signals, extra) {
      const recording = yield* recordingOf(id, signals, extra)
      yield* Effect.promise(() => folder.write(id, recording))
    }),
    load: (id) =>
      Effect.flatMap(
        Effect.promise(() => folder.read(id)),
        (found) => (found === null ? Effect.fail(missingRecording(id)) : Effect.succeed(found)),
      ),
    list: (query) =>
      Effect.promise(async () => {
        const all = await Promise.all((await folder.ids()).map((id) => folder.metadata(id)))
        return pageOf(
          all.filter((metadata) => metadata !== null),
          query,
        )
      }),
    delete: (id) => Effect.promise(() => folder.remove(id)),
    exists: (id) => Effect.promise(() => folder.exists(id)),
  }
}

/** `fileStore` as a layer. */
export const layerFiles = (root: string) => Layer.sync(RecordingStore, () => fileStore(root))
