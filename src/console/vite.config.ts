// Bundles the console into `public/`: index.html, and the files that it loads, with hashes in their names.
import path from "node:path"
import { defineConfig, type Plugin } from "vite"

const ROOT = path.join(import.meta.dirname, "../..")
/** The first screen of most pages, and the module that it loads before. */
const MARKDOWN = path.join(import.meta.dirname, "chat/markdown/blocks.ts")
const CHAT = path.join(import.meta.dirname, "chat/chat.tsx")

/**
 * Makes the page load the chat's chunks in parallel with the entry: otherwise the browser would discover them only when the entry
 * runs. They are evaluated when they are first needed.
 */
const preloadChat = (): Plugin => ({
  name: "preload-chat",
  transformIndexHtml: {
    order: "post",
    handler: (html, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((output) => output.type === "chunk")
      const needed = [MARKDOWN, CHAT].flatMap((id) => {
        const found = chunks.find(({ moduleIds }) => moduleIds.includes(id))
        if (found === undefined) throw new Error(`There is no chunk of ${id}.`)
        return [found.fileName, ...found.imports]
      })
      const named = [...new Set(needed)].filter((name) => !html.includes(name))
      return named.map((name) => ({
        tag: "link",
        attrs: { rel: "modulepreload", crossorigin: true, href: `/${name}` },
        injectTo: "head",
      }))
    },
  },
})

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  // `public/` is the output folder; Vite's own public folder, whose files are copied, is disabled.
  publicDir: false,
  logLevel: "warn",
  plugins: [preloadChat()],
  build: {
    outDir: path.join(ROOT, "public"),
    emptyOutDir: false,
    assetsDir: "console",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    rolldownOptions: {
      output: {
        // Few chunks for the first page. Each contains its modules and their imports, except those in a chunk of higher priority.
        codeSplitting: {
          groups: [
            { name: "base", tags: ["$initial"], priority: 3 },
            { name: "kit", test: /\/src\/console\/(?:kit\/|compose\/composer\.tsx)/, priority: 2 },
            { name: "markdown", test: MARKDOWN, priority: 2 },
            { name: "chat", test: CHAT, priority: 1 },
          ],
        },
      },
    },
  },
})
