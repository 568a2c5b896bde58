// Receives a `MEDIA:` line of a reply; returns the URLs and paths that a channel may load.
// Invariant: each is an https URL without credentials and with a public host, or a file path without `..` segments; each has at
// most 4096 characters.
import { isPublicHost } from "../../../net/public-address.ts"

const MAX_URL = 4096
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i
const DRIVE = /^[a-z]:[\\/]/i
const LEAVES = /(?:^|[\\/])\.\.(?:[\\/]|$)/
const FILE_NAME = /^[^\\/:]+\.\w{1,10}$/

export interface MediaLine {
  readonly urls: ReadonlyArray<string>
  /** The text of the line that is no medium; null when none of it should be shown. */
  readonly rest: string | null
}

/** True for an https URL that a channel may load. */
export const isMediaUrl = (text: string): boolean => {
  if (text.length > MAX_URL || /\s/.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return protocol === "https:" && username === "" && password === "" && hostname !== "" && isPublicHost(hostname)
}

/** Splits a line that starts with `MEDIA:` into media and remaining text. */
export const readMediaLine = (line: string): MediaLine => {
  const payload = line.trim().slice("MEDIA:".length).trim()
  const quoted = /^(["'`])(.*)\1$/.exec(payload)?.[2]?.trim()
  const parts = quoted === undefined ? payload.split(/\s+/) : [quoted]
  const media = parts.map((part) => mediumOf(part, quoted !== undefined))
  const urls = media.filter((one) => one !== null)
  if (urls.length === parts.length && payload !== "") return { urls, rest: null }
  // A path with spaces, or a bare file name.
  const whole = mediumOf(payload, true) ?? nameOf(payload)
  if (whole !== null && (urls.length === 0 || looksLocal(payload))) return { urls: [whole], rest: null }
  const others = parts.filter((_, index) => media[index] === null)
  if (urls.length > 0) return { urls, rest: others.every(looksLocal) ? null : others.join(" ") }
  // A path that must not be loaded is not shown as text either.
  return { urls, rest: payload !== "" && looksLocal(quoted ?? payload) ? null : line }
}

const mediumOf = (part: string, spaces: boolean): string | null => {
  const text = stripped(part)
  if (text === "" || text.length > MAX_URL || (!spaces && /\s/.test(text))) return null
  if (/^https?:/i.test(text)) return isMediaUrl(text) ? text : null
  return isLocalPath(text) ? text : null
}

/** Removes quotes and brackets around the text, and `file://` in front of a path. */
const stripped = (part: string): string =>
  part
    .replace(/^[`"'[{(]+/, "")
    .replace(/[`"'\\})\],]+$/, "")
    .replace(/^file:\/\//i, "")

const nameOf = (payload: string): string | null => {
  const name = stripped(payload)
  return FILE_NAME.test(name) && !LEAVES.test(name) && !name.startsWith("~") && name.length <= MAX_URL ? name : null
}

const looksLocal = (text: string): boolean =>
  /^(?:[/~]|\.{1,2}[\\/]|\\\\|file:\/\/)/i.test(text) ||
  DRIVE.test(text) ||
  LEAVES.test(text) ||
  (!HAS_SCHEME.test(text) && /[\\/]/.test(text))

const isLocalPath = (text: string): boolean =>
  !LEAVES.test(text) && looksLocal(text) && (!text.startsWith("~") || /^~[\\/]/.test(text))
