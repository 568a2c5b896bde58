// The folder that relative paths of a script's arguments refer to: the one in which its command was typed.

/** npm starts a script in the project's folder, wherever it was called; INIT_CWD is where. `names` are the script's names for npm. */
export const typedFolder = (names, env = process.env) =>
  (names.includes(env.npm_lifecycle_event) ? env.INIT_CWD : undefined) ?? process.cwd()
