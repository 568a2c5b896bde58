// The options for building and reading the search index: the build and the page must agree.
/** @type {import("minisearch").Options} */
export const SEARCH_OPTIONS = {
  fields: ["page", "heading", "text"],
  storeFields: ["page", "group", "heading", "excerpt"],
  searchOptions: {
    boost: { page: 3, heading: 4 },
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 4 ? 0.15 : false),
    combineWith: "AND",
    // Guides rank above decisions and the changelog.
    boostDocument: (id, _, stored) => (stored.group === "Decisions" || id.startsWith("/docs/changelog") ? 0.4 : 1),
  },
}
