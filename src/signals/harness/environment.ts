// Receives the name of an environment variable; returns its value; undefined if it is not set or there is no `process`.
// Invariant: an empty value counts as not set.

export const environment = (name: string): string | undefined => {
  const env = globalThis.process?.env
  const value = env?.[name]
  return value === undefined || value === "" ? undefined : value
}
