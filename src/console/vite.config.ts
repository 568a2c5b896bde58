// Bundles the console into `public/`: index.html and, with a hash in each name, what it loads.
import path from "node:path"
import { defineConfig } from "vite"

const ROOT = path.join(import.meta.dirname, "../..")

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  // `public/` holds what is served, and not what is copied.
  publicDir: false,
  logLevel: "warn",
  build: {
    outDir: path.join(ROOT, "public"),
    emptyOutDir: false,
    assetsDir: "console",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
})
