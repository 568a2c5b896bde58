// Decides whether a request failed for lack of storage: receives the error and its cause, and checks the local server's disk.
// Invariant: only requests that failed with a 5xx are checked; a full storage is reported as such, never as a restart.
import type { Env } from "../../schemas/env.ts"
import { ERROR_STATUS } from "../../schemas/errors/rpc-error.ts"
import { ApiError } from "./errors.ts"

/** Free bytes of its disk below which a local server may be unable to store the largest request. */
const ROOM = 64 * 1024 * 1024
const RETRY_SECONDS = 60

export const storageFull = (): ApiError =>
  new ApiError({
    type: "storage_full_error",
    message:
      "The storage is full, so this could not be stored. What was stored before is kept and can be read: erase sessions or files, or give the server more room, and send the request again.",
    retry_after: RETRY_SECONDS,
  })

/** Whether SQLite threw because a database may not grow; on Cloudflare that is the limit of a session's object. */
export const isStorageFull = (cause: unknown): boolean => cause instanceof Error && /SQLITE_FULL/.test(cause.message)

/** The error for the client: `error`, or `storage_full_error` when full storage caused it. */
export const orStorageFull = async (error: ApiError, cause: unknown, { LOCAL_DISK }: Env): Promise<ApiError> => {
  if (ERROR_STATUS[error.type] < 500 || error.type === "not_configured_error") return error
  if (isStorageFull(cause)) return storageFull()
  if (LOCAL_DISK === undefined) return error
  // When the disk can't be checked, the client gets the original error.
  const free = await LOCAL_DISK.fetch("http://disk/").then(
    async (response) => Number(await response.text()),
    () => Number.NaN,
  )
  return free < ROOM ? storageFull() : error
}
