// Receives a request; returns its result, or undefined when the server answers that the requested thing does not exist.
import { NotFoundError } from "./perch-error.ts"

export const ifFound = async <A>(request: Promise<A>): Promise<A | undefined> => {
  try {
    return await request
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
