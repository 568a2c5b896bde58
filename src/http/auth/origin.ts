// Receives the origin of a page and the setting PERCH_CORS_ORIGINS; says whether that page may call.
// Invariant: without the setting every page may: what a caller may do is decided by its key, never by a cookie.

/** What `access-control-allow-origin` says: everybody, unless the setting lists who. */
export const allowedOrigin = (origin: string, setting: string | undefined): string | null => {
  if (setting === undefined || setting.trim() === "") return "*"
  return setting.split(",").some((allowed) => allowed.trim() === origin) ? origin : null
}
