// An expected failure of a session, as a value that is returned to its caller.
import { isPlainObject } from "../schemas/plain-object.ts"
import {
  errorResponse,
  OTHER_REQUEST,
  type RpcError,
  type RpcResult,
  UNAVAILABLE,
} from "../schemas/errors/rpc-error.ts"

export type Refusal = { readonly refused: RpcError }

/** `field` is the path of a refused field. */
export const refuse = (type: RpcError["type"], message: string, field?: string): Refusal => ({
  refused: { type, message, ...(field === undefined ? {} : { field }) },
})

/** A refusal has one error; the report of frames has a list in a field of the same name. */
export const isRefusal = (value: unknown): value is Refusal => isPlainObject(value) && isPlainObject(value["refused"])

/** The refusal as a response of the object's `fetch`. */
export const refusalResponse = ({ refused }: Refusal): Response => errorResponse(refused)

export const otherRequest: Refusal = { refused: OTHER_REQUEST.error }

export const unavailable: Refusal = { refused: UNAVAILABLE.error }

export const noSession = refuse("not_found_error", "there is no such session")

export const noTurn = refuse("not_found_error", "there is no such turn in this session")

/** The result of an RPC method of the object. */
export const toResult = <A>(value: A | Refusal): RpcResult<A> =>
  isRefusal(value) ? { ok: false, error: value.refused } : { ok: true, value }
