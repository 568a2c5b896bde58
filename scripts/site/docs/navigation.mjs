// The order of the docs site: groups for a new user, each with its Markdown files as paths in the repository.
// Invariant: a guide that is not named here is still on the site, at the end of the group "Reference".

/** A generated page without a Markdown file, by its address below /docs/. */
const generated = (slug) => ({ generated: slug })

export const GROUPS = [
  {
    title: "Start",
    pages: [
      "README.md",
      "docs/console.md",
      "docs/sessions.md",
      "docs/turns.md",
      "docs/streams.md",
      "docs/permissions.md",
    ],
  },
  {
    title: "Agent SDK app moves here",
    pages: ["docs/agent-sdk.md", "docs/options.md", "docs/integrations.md", "docs/decisions/official-sdk/README.md"],
  },
  { title: "Browser app", pages: ["docs/browser.md", "docs/client.md", "docs/ag-ui.md", "examples/README.md"] },
  { title: "Chat channel", pages: ["docs/channels.md", "docs/runs.md", "docs/router.md"] },
  { title: "opencode-style UI", pages: ["docs/opencode.md", "docs/parts.md"] },
  {
    title: "Agents and their tools",
    pages: [
      "docs/agents.md",
      "docs/files.md",
      "docs/commands.md",
      "docs/project-files.md",
      "docs/long-conversations.md",
    ],
  },
  { title: "MCP", pages: ["docs/mcp.md"] },
  { title: "Workflows", pages: ["docs/workflows.md", "docs/signals.md", "docs/recordings.md"] },
  {
    title: "Deploy",
    pages: ["docs/deploy.md", "docs/production.md", "docs/operations/metrics.md"],
  },
  { title: "Security", pages: ["docs/security.md", "docs/webhooks.md"] },
  { title: "Limits and costs", pages: ["docs/limits.md"] },
  { title: "Scaling", pages: ["docs/scaling.md", "docs/durability.md", "docs/delivery.md"] },
  {
    title: "Reference",
    pages: [
      generated("api"),
      "docs/errors.md",
      "docs/openapi.md",
      "docs/architecture.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
    ],
    rest: true,
  },
  { title: "Event formats", pages: [generated("formats/")] },
  { title: "Decisions", pages: ["docs/decisions/README.md"], decisions: true },
]

/** The address of a page below /docs/: "" is the start page, and a README is its folder's page. */
export const slugOf = (file) => {
  if (file === "README.md") return ""
  const slug = file
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replace(/(^|\/)README$/, "$1")
  return /^(CHANGELOG|CONTRIBUTING)$/.test(slug) ? slug.toLowerCase() : slug
}

/** The file of the built site that answers a slug. */
export const outputOf = (slug) => (slug === "" || slug.endsWith("/") ? `${slug}index.html` : `${slug}.html`)
