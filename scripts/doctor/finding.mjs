// A finding of the doctor: one subject, its state, and what to do about it.
// Invariant: a finding never contains the value of a setting, only its name.

/** @typedef {{ level: "ok" | "warn" | "fail", about: string, message: string, fix?: string | undefined }} Finding */

/** Nothing needs to be done. @type {(about: string, message: string) => Finding} */
export const ok = (about, message) => ({ level: "ok", about, message })
/** It works, and something about it may surprise. @type {(about: string, message: string, fix: string) => Finding} */
export const warn = (about, message, fix) => ({ level: "warn", about, message, fix })
/** It does not work until `fix` is done. @type {(about: string, message: string, fix?: string) => Finding} */
export const fail = (about, message, fix) => ({ level: "fail", about, message, fix })

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" }

/** A finding as a line, without control characters from a server. @type {(finding: Finding) => string} */
export const lineOf = ({ level, about, message, fix }) =>
  `${MARKS[level]}  ${about}: ${message}${fix === undefined ? "" : ` → ${fix}`}`.replace(/\p{Cc}/gu, " ")
