// Receives a folder of a project; returns its Markdown files, those in folders inside it included.
// Invariant: the work is bounded, however many files and folders there are.
import type { ProjectReader } from "./project-reader.ts"

const MAX_DEPTH = 5
/** Maximum number of files and folders that are visited; the rest is ignored. */
const MAX_LOOKED = 2000

/** The paths below the folder, sorted. */
export const markdownBelow = (reader: ProjectReader, folder: string): ReadonlyArray<string> => {
  const paths: Array<string> = []
  let looked = 0
  const visit = (below: string, depth: number) => {
    for (const { name, type } of reader.list(below === "" ? folder : `${folder}/${below}`)) {
      looked += 1
      if (looked > MAX_LOOKED) return
      const path = below === "" ? name : `${below}/${name}`
      if (type === "directory" && depth < MAX_DEPTH) visit(path, depth + 1)
      else if (name.endsWith(".md")) paths.push(path)
    }
  }
  visit("", 1)
  return paths.toSorted()
}
