// Calls Durable Objects; returns what a call returned, or fails with an `ApiError` that its client can act on.
// Invariant: an object that is overloaded, was restarted or has no storage left is an error; every other exception is a defect.
import * as Effect from "effect/Effect"
import { isPlainObject } from "../schemas/plain-object.ts"
import type { RpcError, RpcResult } from "../schemas/errors/rpc-error.ts"
import { ApiError, fromRpc, fromRpcError, isErrorType } from "./errors/errors.ts"
import { isStorageFull, storageFull } from "./errors/storage-full.ts"

/** The object of a call, as errors name it. */
export type Named = "session" | "recording" | "run" | "webhook" | "tenant's object" | "server"

/** Calls a method whose expected failures are values: returns its value, or fails with its error. */
export const callObject = <A>(named: Named, call: () => Promise<RpcResult<A>>): Effect.Effect<A, ApiError> =>
  Effect.flatMap(fromObject(named, call), fromRpc)

/** Calls a method; returns what it returned. */
export const fromObject = <A>(named: Named, call: () => Promise<A>): Effect.Effect<A, ApiError> =>
  Effect.tryPromise({ try: call, catch: (cause) => cause }).pipe(
    Effect.catch((cause) => {
      if (flag(cause, "overloaded")) {
        return Effect.fail(
          new ApiError({ type: "overloaded_error", message: `The ${named} is overloaded. Try again later.` }),
        )
      }
      if (isStorageFull(cause)) return Effect.fail(storageFull())
      if (flag(cause, "retryable") || flag(cause, "durableObjectReset") || isPlatformFault(cause)) {
        return Effect.fail(new ApiError({ type: "api_error", message: `The ${named} was restarted. Try again.` }))
      }
      return Effect.die(cause)
    }),
  )

/** Whether workerd reports an internal fault, such as a failed write to the disk, whose details it hides. */
const isPlatformFault = (cause: unknown): boolean => cause instanceof Error && /internal error; ref/.test(cause.message)

const flag = (cause: unknown, name: string): boolean =>
  typeof cause === "object" && cause !== null && name in cause && (cause as Record<string, unknown>)[name] === true // `in` checked

/** Fails with the error of an object's response. */
export const responseError = (response: Response): Effect.Effect<never, ApiError> =>
  Effect.flatMap(
    Effect.promise(() => rpcError(response)),
    (error) => Effect.fail(fromRpcError(error)),
  )

/** Reads the JSON `RpcError` of an error response of an object. Throws when the response is none. */
export const rpcError = async (response: Response): Promise<RpcError> => {
  const body = await response.json<unknown>().catch(() => null)
  const isError =
    isPlainObject(body) &&
    typeof body["type"] === "string" &&
    isErrorType(body["type"]) &&
    typeof body["message"] === "string"
  // The object uses these field names only for an RpcError.
  if (isError) return body as unknown as RpcError
  throw new Error(`an object answered ${response.status} without an error body`)
}
