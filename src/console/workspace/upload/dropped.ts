// Receives dropped or chosen items; returns the files with their paths. Folders are traversed.
import type { Chosen } from "./upload-queue.ts"

/** Must be called within the drop event's handler, because the browser clears the items afterwards. */
export const droppedFiles = async (transfer: DataTransfer): Promise<ReadonlyArray<Chosen>> => {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry())
  if (entries.every((entry) => entry === null))
    return [...transfer.files].map((file) => ({ file, relative: file.name }))
  const found = await Promise.all(entries.map((entry) => (entry === null ? [] : walk(entry, ""))))
  return found.flat()
}

const walk = async (entry: FileSystemEntry, above: string): Promise<ReadonlyArray<Chosen>> => {
  const relative = `${above}${entry.name}`
  // Chromium has no FileSystemFileEntry for `instanceof`; an entry is either a file or a directory.
  if (entry.isFile) {
    const source = entry as FileSystemFileEntry // as above
    const file = await new Promise<File>((resolve, reject) => source.file(resolve, reject))
    return [{ file, relative }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader() // as above
  const found: Array<ReadonlyArray<Chosen>> = []
  for (;;) {
    // A reader returns its entries in batches, until a batch is empty.
    const portion = await new Promise<ReadonlyArray<FileSystemEntry>>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (portion.length === 0) return found.flat()
    for (const inner of portion) found.push(await walk(inner, `${relative}/`))
  }
}

/** The files of an input. For an input for folders, the paths start with the folder's name. */
export const chosenFiles = (input: HTMLInputElement): ReadonlyArray<Chosen> =>
  [...(input.files ?? [])].map((file) => ({ file, relative: file.webkitRelativePath || file.name }))
