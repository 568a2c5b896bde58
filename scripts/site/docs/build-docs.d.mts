// The types of build-docs.mjs: those of what it imports bring the DOM's, which the Worker's types disagree with.

/** Writes the docs site of the repository at `root` into the folder `out`, which it replaces. */
export function buildDocs(input: { readonly root: string; readonly out: string }): { readonly pages: number }
