// Receives a request that matches no route; returns a page of `public/`, the not-found page for a browser's unknown address
// below `/docs`, or undefined.
// Invariant: a page runs only scripts and styles that this server serves, none inline, and can't be framed by another page.
import type { Context } from "hono"
import type { AppEnv } from "./handle.ts"

/** The sources that pages may load: this server's own scripts, styles and requests, and nothing else. */
const LOADING = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** The policy of pages: the browser blocks any text from becoming markup or a script. */
const PAGE_POLICY = [...LOADING, "require-trusted-types-for 'script'", "trusted-types 'none'"].join("; ")

/** The renderer of the API reference turns descriptions (only those of openapi.json) into markup, which it sanitizes itself. */
const API_REFERENCE = "/docs/api"
const API_REFERENCE_POLICY = LOADING.join("; ")

/** The policy of all other responses: shown in a browser, they load and run nothing. */
export const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

const API_PATHS = /^\/(v1|sdk|mcp|cdn-cgi)(\/|$)/

const DOCS_PATHS = /^\/docs(\/|$)/
/** The page that scripts/site/docs/missing-page.mjs generates. */
const MISSING_PAGE = "/docs/not-found"

export const staticPage = async (context: Context<AppEnv>): Promise<Response | undefined> => {
  const { method, path, raw } = context.req
  if ((method !== "GET" && method !== "HEAD") || API_PATHS.test(path)) return undefined
  const asset = await context.env.ASSETS.fetch(raw)
  if (asset.status === 404) {
    await asset.body?.cancel()
    return missingPage(context)
  }
  const page = new Response(asset.body, asset)
  page.headers.set("content-security-policy", path === API_REFERENCE ? API_REFERENCE_POLICY : PAGE_POLICY)
  // The names of these files contain a hash of their content.
  if (path.startsWith("/console/")) page.headers.set("cache-control", "public, max-age=31536000, immutable")
  return page
}

/** The not-found page for a request that accepts `text/html` explicitly; other clients get the error envelope. */
const missingPage = async (context: Context<AppEnv>): Promise<Response | undefined> => {
  const { method, path, url } = context.req
  if (!DOCS_PATHS.test(path) || !/\btext\/html\b/i.test(context.req.header("accept") ?? "")) return undefined
  const { status, body } = await context.env.ASSETS.fetch(new Request(new URL(MISSING_PAGE, url), { method }))
  if (status !== 200) {
    await body?.cancel()
    return undefined
  }
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": PAGE_POLICY, vary: "accept" }
  return new Response(body, { status: 404, headers })
}
