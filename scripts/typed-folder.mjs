// The folder that relative paths of a script's arguments refer to: the one in which its command was typed.

/** npm starts a script in the project's folder, wherever it was called; INIT_CWD is where. `name` is the script's name for npm. */
export const typedFolder = (name, env = process.env) =>
  (env.npm_lifecycle_event === name ? env.INIT_CWD : undefined) ?? process.cwd()
