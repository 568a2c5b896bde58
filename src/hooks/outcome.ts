// The combined outcome of all hooks of one event: the shape that a turn acts on and that `hook:fired` stores.
// Invariant: it is JSON without `undefined`; stored without its empty fields, it reads back as the same value.
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { HookPermissionDecision } from "../schemas/sdk/hooks/hook-outputs.ts"
import { AnyRecord, kept } from "../schemas/sdk/open.ts"
import { PermissionUpdate } from "../schemas/sdk/options/permissions.ts"
import { isPlainObject } from "../schemas/plain-object.ts"

const opt = Schema.optionalKey

/** A PermissionRequest hook's decision whether a tool call may run. */
export const PermissionRequestDecision = Schema.Union([
  Schema.Struct({
    behavior: Schema.Literal("allow"),
    updatedInput: opt(kept(AnyRecord)),
    updatedPermissions: opt(Schema.Array(kept(PermissionUpdate))),
  }),
  Schema.Struct({
    behavior: Schema.Literal("deny"),
    message: opt(Schema.String),
    interrupt: opt(Schema.Boolean),
  }),
])
export type PermissionRequestDecision = typeof PermissionRequestDecision.Type

/**
 * `threw`: an error or a bad HTTP answer; `gone`: the client has left; `invalid`: an answer that is no hook output;
 * `misaddressed`: an answer for another event.
 */
export const HookFailureKind = Schema.Literals(["threw", "timeout", "gone", "invalid", "misaddressed"])
export type HookFailureKind = typeof HookFailureKind.Type

export const HookOutcome = Schema.Struct({
  /** The number of hooks that were called. */
  ran: Schema.Int,
  /** PreToolUse: the strongest of deny, defer, ask, allow. */
  permission: Schema.NullOr(Schema.Struct({ behavior: HookPermissionDecision, reason: opt(Schema.String) })),
  /** PreToolUse: the tool input from the hook that finished last. */
  updatedInput: Schema.NullOr(kept(AnyRecord)),
  /** Texts for the model, in the order of registration. */
  contexts: Schema.Array(Schema.String),
  /**
   * Every event except PreToolUse: a hook blocked, or its failure counts as a refusal. `reasons` is set when several did;
   * PreCompact: `message` contains the texts for the user of the hooks that blocked.
   */
  block: Schema.NullOr(
    Schema.Struct({ reason: Schema.String, reasons: opt(Schema.Array(Schema.String)), message: opt(Schema.String) }),
  ),
  /** A hook answered `continue: false`: the turn must end. */
  stop: Schema.NullOr(Schema.Struct({ reason: opt(Schema.String) })),
  /** Texts for the user, in the order in which the hooks finished. */
  systemMessages: Schema.Array(Schema.String),
  /** PostToolUse: the value that replaces the tool's output, from the hook that finished last. */
  updatedOutput: Schema.NullOr(Schema.Struct({ value: Schema.Unknown })),
  /** MessageDisplay: the text that clients are shown instead of the model's, from the hook that finished last. */
  displayContent: opt(Schema.String),
  /** PermissionRequest: the first decision that arrived. */
  request: Schema.NullOr(PermissionRequestDecision),
  /** Hooks without a valid answer; `blocks` when the failure counts as a refusal, `asks` when a person is asked because of it. */
  failures: Schema.Array(
    Schema.Struct({
      kind: HookFailureKind,
      message: Schema.String,
      blocks: Schema.Boolean,
      asks: opt(Schema.Literal(true)),
    }),
  ),
  /** Fields that hooks answered and that Perch does not support, each with the reason. */
  unsupported: opt(Schema.Array(Schema.String)),
  sessionTitle: opt(Schema.String),
  suppressOriginalPrompt: opt(Schema.Boolean),
  initialUserMessage: opt(Schema.String),
  /** PreModelSwitch: the strongest of deny, ask, allow. */
  modelSwitch: Schema.NullOr(
    Schema.Struct({ behavior: Schema.Literals(["allow", "deny", "ask"]), reason: opt(Schema.String) }),
  ),
  /** Elicitation and ElicitationResult: the answer of the hook that was registered first. */
  elicitation: Schema.NullOr(
    Schema.Struct({ action: Schema.Literals(["accept", "decline", "cancel"]), content: opt(kept(AnyRecord)) }),
  ),
})
export type HookOutcome = typeof HookOutcome.Type

/** The outcome of an event without hooks. */
export const NO_HOOKS: HookOutcome = {
  ran: 0,
  permission: null,
  updatedInput: null,
  contexts: [],
  block: null,
  stop: null,
  systemMessages: [],
  updatedOutput: null,
  request: null,
  failures: [],
  modelSwitch: null,
  elicitation: null,
}

/** The outcome as the log keeps it: JSON, without its empty fields. */
export const encodeOutcome = (outcome: HookOutcome): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(outcome).filter(
      ([, value]) => value !== null && value !== 0 && !(Array.isArray(value) && value.length === 0),
    ),
  )

/** Reads what `encodeOutcome` wrote. */
export const decodeOutcome = (stored: unknown): Result.Result<HookOutcome, Schema.SchemaError> =>
  Schema.decodeUnknownResult(HookOutcome)(isPlainObject(stored) ? { ...NO_HOOKS, ...stored } : stored)
