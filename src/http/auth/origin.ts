// Receives the origin of a page and the setting PERCH_CORS_ORIGINS; returns the origin to allow, or null.
// Invariant: without the setting every page may call the API: permissions depend on the key that is sent, never on a cookie.

/** The value of `access-control-allow-origin`: any origin, unless the setting lists those that may call. */
export const allowedOrigin = (origin: string, setting: string | undefined): string | null => {
  if (setting === undefined || setting.trim() === "") return "*"
  return setting.split(",").some((allowed) => allowed.trim() === origin) ? origin : null
}
