// How hard a model thinks, as options, settings, agents and messages name it.
// Invariant: without Effect, so that the client package can import it.

/** Levels of effort, lowest first. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const
