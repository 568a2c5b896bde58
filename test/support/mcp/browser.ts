// The browser of a user who signs in to an MCP server of a session: it visits the page of the open ask, and returns to Perch.
import { unsealState } from "../../../src/store/seal.ts"
import type { Booted } from "../session/session-harness.ts"

const ROOT_KEY = "a-root-key-of-more-than-32-characters"

/** The base URL of this Perch. */
export const HOME = "https://perch.example"

/** The URL of the session's open ask. */
export const askedPage = ({ session }: Pick<Booted, "session">): string =>
  String(session.askStore.open[0]?.ask.input["url"])

/** Visits the page as the user's browser does; returns the query that it brings back to Perch. */
export const visit = async (url: string): Promise<URL> => {
  const answer = await fetch(url, { redirect: "manual" })
  const location = answer.headers.get("location")
  if (answer.status !== 302 || location === null) throw new Error(`the page answered with status ${answer.status}`)
  return new URL(location)
}

/** Does what the callback route does. */
export const comeBack = async ({ authorizations }: Pick<Booted, "authorizations">, back: URL) => {
  const state = await unsealState(ROOT_KEY, back.searchParams.get("state") ?? "")
  const code = back.searchParams.get("code")
  const issuer = back.searchParams.get("iss")
  return authorizations.callback({
    nonce: state?.nonce ?? "",
    ...(code === null ? {} : { code }),
    ...(issuer === null ? {} : { issuer }),
  })
}
