// Values that examples of several glossaries share: a session's id, a turn's id, a moment.

export const SESSION = "01a2006d-24c2-7fca-854d-a012e7f6351c"
export const TURN = "01a2006d-2d10-7b3e-9c55-5b1d0c1f7a20"
export const MOMENT = "2026-01-31T12:00:00.000Z"
