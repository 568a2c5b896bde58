// Receives the name of a setting; returns its value in the environment of the process, where there is one.
// Invariant: an empty value is as good as none.

export const environment = (name: string): string | undefined => {
  const env = globalThis.process?.env
  const value = env?.[name]
  return value === undefined || value === "" ? undefined : value
}
