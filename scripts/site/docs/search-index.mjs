// Receives the pages; returns the search index as JSON: one document per heading, with the text below it.
import MiniSearch from "minisearch"
import { SEARCH_OPTIONS } from "./assets/search-options.js"

const EXCERPT = 200

export const searchIndex = (pages) => {
  const index = new MiniSearch(SEARCH_OPTIONS)
  const documents = pages.flatMap((page) =>
    page.sections
      .filter(({ heading, text }) => heading !== "" || text !== "")
      .map(({ href, anchor, heading, text }) => ({
        id: href ?? `/docs/${page.slug}${anchor === "" ? "" : `#${anchor}`}`,
        page: page.title,
        group: page.group ?? "",
        heading,
        text,
        excerpt: text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text,
      })),
  )
  index.addAll(documents)
  return JSON.stringify(index)
}
