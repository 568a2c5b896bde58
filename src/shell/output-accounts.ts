// Corrects how the interpreter accounts for output after a redirection. It takes the size of bytes for that of a text, and ends the
// run when a program prints both bytes above 127 and an error that is redirected (`cat notes.md missing 2>/dev/null`).
// Invariant: what a command prints is charged once, with the size that it has.

interface Result {
  readonly stdout: string
  readonly stdoutKind?: unknown
  readonly stdoutEncoding?: unknown
  internalOutputAccounting?: { readonly stdout: number; readonly stderr: number }
}

type AccountResult = (this: unknown, result: Result, ...rest: ReadonlyArray<unknown>) => unknown

interface Accounts {
  accountResult: AccountResult
}

const corrected = new WeakSet<object>()

/** Corrects the accounts of an interpreter; call it before it runs a script. */
export const withByteAccounts = ({ executionScope }: { readonly executionScope?: object }): void => {
  if (executionScope === undefined) return
  // The interpreter's class, of which the scope is an instance.
  const accounts = Object.getPrototypeOf(executionScope) as Accounts
  if (corrected.has(accounts)) return
  corrected.add(accounts)
  const { accountResult } = accounts
  accounts.accountResult = function (result, ...rest) {
    const counted = result.internalOutputAccounting
    const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary"
    if (isBytes && counted !== undefined && counted.stdout > result.stdout.length)
      result.internalOutputAccounting = { ...counted, stdout: result.stdout.length }
    return accountResult.call(this, result, ...rest)
  }
}
