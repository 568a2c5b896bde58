// Formats the report of a push or a pull as lines: totals first, then what was left out and why.
import { bytesText } from "./push.ts"
import type { SyncReport } from "./sync-options.ts"

/** How many paths of each kind are listed; the rest are only counted. */
const NAMED = 10

const shown = (path: string): string => (/[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path)

const listed = (title: string, lines: ReadonlyArray<string>, most: number): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [
        title,
        ...lines.slice(0, most).map((line) => `  ${line}`),
        ...(lines.length > most ? [`  and ${lines.length - most} more`] : []),
      ]

/** `verb` is "sent" or "brought back"; with `all` every path is listed. */
export const reportLines = (report: SyncReport, verb: string, dryRun = false, all = false): ReadonlyArray<string> => {
  const { written, removed, bytes, transferred, unchanged, conflicts, ignored, leftOut, stateError } = report
  const most = all ? Number.POSITIVE_INFINITY : NAMED
  const wire = dryRun ? "" : `, ${bytesText(transferred)} on the wire`
  return [
    `${dryRun ? "would be " : ""}${verb}: ${written.length} (${bytesText(bytes)}${wire}), removed: ${removed.length}, unchanged: ${unchanged}`,
    ...(all || dryRun
      ? [...listed("written:", written.map(shown), most), ...listed("removed:", removed.map(shown), most)]
      : []),
    ...listed(`ignored (${ignored.length}):`, ignored.map(shown), most),
    ...listed(
      `left out (${leftOut.length}):`,
      leftOut.map(({ path, why }) => `${shown(path)}: ${why}`),
      most,
    ),
    ...listed(
      `changed on both sides and left as they are (${conflicts.length}); --force takes this side's:`,
      conflicts.map(shown),
      most,
    ),
    ...(stateError === null ? [] : [`the state could not be kept, so the next push or pull knows less: ${stateError}`]),
  ]
}
