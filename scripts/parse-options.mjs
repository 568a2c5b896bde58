// Receives a command line and the options that it may have, as Node's `parseArgs` takes them; returns their values.
// Invariant: a command line that `parseArgs` rejects is an error of one sentence, without its hints at other forms.
import { parseArgs } from "node:util"

/** `errorOf` receives the sentence and returns the error to throw. */
export const parseOptions = (config, errorOf) => {
  try {
    return parseArgs(config)
  } catch (error) {
    throw errorOf(`${error.message.split(/\.\s/, 1)[0]}.`)
  }
}
