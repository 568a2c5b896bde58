// The folder that relative paths of a script's arguments refer to: the one in which its command was typed.

/**
 * npm starts a script in the project's folder, and sets INIT_CWD to the folder in which npm was called. `names` are the names
 * under which package.json has the script; when it was started in another way, the folder is that of the process.
 */
export const typedFolder = (names, env = process.env) =>
  (names.includes(env.npm_lifecycle_event) ? env.INIT_CWD : undefined) ?? process.cwd()
