// Receives a request that no route took; returns a page of `public/`, or nothing when there is none.
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

export const staticPage = async (context: Context<AppEnv>): Promise<Response | undefined> => {
  const { method, path, raw } = context.req
  if ((method !== "GET" && method !== "HEAD") || API_PATHS.test(path)) return undefined
  const asset = await context.env.ASSETS.fetch(raw)
  if (asset.status === 404) {
    await asset.body?.cancel()
    return undefined
  }
  const page = new Response(asset.body, asset)
  page.headers.set("content-security-policy", path === API_REFERENCE ? API_REFERENCE_POLICY : PAGE_POLICY)
  // Their names have a hash of what they hold.
  if (path.startsWith("/console/")) page.headers.set("cache-control", "public, max-age=31536000, immutable")
  return page
}
