// Receives dropped or chosen items; returns the files with their paths. Folders are traversed.
// Invariant: an item that can't be read is returned with the others; reading it again gives its error.
import type { Chosen } from "./upload-queue.ts"

/** Must be called within the drop event's handler, because the browser clears the items afterwards. */
export const droppedFiles = async (transfer: DataTransfer): Promise<ReadonlyArray<Chosen>> => {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry())
  if (entries.every((entry) => entry === null)) return [...transfer.files].map((file) => chosen(file, file.name))
  const found = await Promise.all(entries.map((entry) => (entry === null ? [] : walk(entry, ""))))
  return found.flat()
}

const walk = async (entry: FileSystemEntry, above: string): Promise<ReadonlyArray<Chosen>> => {
  const relative = `${above}${entry.name}`
  // Chromium has no FileSystemFileEntry for `instanceof`; an entry is either a file or a directory.
  if (entry.isFile) {
    const source = entry as FileSystemFileEntry // as above
    const read = () => new Promise<File>((resolve, reject) => source.file(resolve, reject))
    return read().then(
      (file) => [chosen(file, relative)],
      () => [{ size: 0, relative, read }],
    )
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader() // as above
  const found: Array<ReadonlyArray<Chosen>> = []
  for (;;) {
    // A reader returns its entries in batches, until a batch is empty.
    const reading = new Promise<ReadonlyArray<FileSystemEntry>>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    const portion = await reading.catch(() => null)
    // The entries after this can't be read. The item for the folder itself fails with the reason.
    if (portion === null) return [...found.flat(), { size: 0, relative, read: () => reading.then(() => new Blob()) }]
    if (portion.length === 0) return found.flat()
    for (const inner of portion) found.push(await walk(inner, `${relative}/`))
  }
}

const chosen = (file: File, relative: string): Chosen => ({ size: file.size, relative, read: async () => file })

/** The files of an input. For an input for folders, the paths start with the folder's name. */
export const chosenFiles = (input: HTMLInputElement): ReadonlyArray<Chosen> =>
  [...(input.files ?? [])].map((file) => chosen(file, file.webkitRelativePath || file.name))
