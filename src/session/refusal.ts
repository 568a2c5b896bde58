// An expected failure of a session, as a value: what the caller is told.
import type { RpcError } from "../schemas/session-rpc.ts"

export type Refusal = { readonly refused: RpcError }

export const refuse = (type: RpcError["type"], message: string): Refusal => ({ refused: { type, message } })

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "refused" in value
