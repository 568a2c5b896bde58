// Receives a request that no route took; returns a page of `public/`, for a browser's unknown address below `/docs` the page
// that says so, or nothing.
// Invariant: a page runs only what this server serves (no inline script or style), in no other page's frame.
import type { Context } from "hono"
import type { AppEnv } from "./handle.ts"

/** For pages: their own scripts, styles and requests, and nothing else. */
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

/** No text becomes markup or a script: a page that tries is stopped. */
const PAGE_POLICY = [...LOADING, "require-trusted-types-for 'script'", "trusted-types 'none'"].join("; ")

/** The API reference's renderer makes markup of descriptions (of openapi.json alone), which it sanitizes itself. */
const API_REFERENCE = "/docs/api"
const API_REFERENCE_POLICY = LOADING.join("; ")

/** For every other answer: shown in a browser, it loads and runs nothing. */
export const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

const API_PATHS = /^\/(v1|sdk|mcp|cdn-cgi)(\/|$)/

const DOCS_PATHS = /^\/docs(\/|$)/
/** Made by scripts/site/docs/missing-page.mjs. */
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
  // Their names have a hash of what they hold.
  if (path.startsWith("/console/")) page.headers.set("cache-control", "public, max-age=31536000, immutable")
  return page
}

/** Only what asks for HTML by name gets it: other clients get the error envelope, as everywhere. */
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
