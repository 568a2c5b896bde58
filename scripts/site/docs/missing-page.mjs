// The page for an unknown address below /docs/ (src/http/static-pages.ts), with links to continue.

export const missingPage = () => ({
  slug: "not-found",
  title: "No such page",
  description: "There is no page at this URL.",
  head: '<meta name="robots" content="noindex">\n',
  html: `<h1 id="no-such-page">There is no page at this address</h1>
<p>It may have moved, or its address may be mistyped. <a href="#search-field">Search the docs</a>, choose a guide from the list, or
begin at <a href="/docs/">the start page</a>.</p>
`,
  headings: [],
  sections: [],
})
