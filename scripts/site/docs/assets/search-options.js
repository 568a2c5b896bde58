// How the search index is made and read: the build and the page must agree.
/** @type {import("minisearch").Options} */
export const SEARCH_OPTIONS = {
  fields: ["page", "heading", "text"],
  storeFields: ["page", "group", "heading", "excerpt"],
  searchOptions: {
    boost: { page: 3, heading: 4 },
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 4 ? 0.15 : false),
    combineWith: "AND",
    // Guides before the reasons why they are so, and before what changed.
    boostDocument: (id, _, stored) => (stored.group === "Decisions" || id.startsWith("/docs/changelog") ? 0.4 : 1),
  },
}
