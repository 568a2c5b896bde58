export type TreeEntry = string | null | readonly [string, number] | { readonly link: string }
export declare const TREE: Readonly<Record<string, TreeEntry>>
export declare const ROOT: string
export interface TableLine {
  readonly title: string
  readonly script: string
}
export declare const readTable: () => ReadonlyArray<{
  readonly family: string
  readonly lines: ReadonlyArray<TableLine>
}>
export declare const changesOf: (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
) => Record<string, unknown>
