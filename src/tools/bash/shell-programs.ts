// The programs of the Bash tool's shell that Perch implements or corrects. The interpreter has further ones (cat, echo, test …).
// Invariant: each name is in one list only; these programs replace those of the interpreter.
import type { Command } from "just-bash/browser"
import { BASE_PROGRAMS } from "../../shell/programs/coreutils/base-encoding.ts"
import { COPYING_PROGRAMS } from "../../shell/programs/coreutils/copying.ts"
import { CORRECTIONS } from "../../shell/compat/corrections.ts"
import { FORM_PROGRAMS } from "../../shell/compat/forms.ts"
import { GREP_PROGRAMS } from "../../shell/programs/grep.ts"
import { HEXDUMP_PROGRAMS } from "../../shell/programs/hex/hexdump.ts"
import { LINK_PATH_PROGRAMS } from "../../shell/programs/coreutils/link-paths.ts"
import { MAKING_PROGRAMS } from "../../shell/programs/making-programs.ts"
import { MORE_PROGRAMS } from "../../shell/programs/more-programs.ts"
import { NUMBER_PROGRAMS } from "../../shell/programs/coreutils/numfmt.ts"
import { PART_PROGRAMS } from "../../shell/programs/coreutils/head-tail.ts"
import { PATH_PART_PROGRAMS } from "../../shell/programs/coreutils/path-parts.ts"
import { REMOVING_PROGRAMS } from "../../shell/programs/coreutils/rm.ts"
import { RUNNER_PROGRAMS } from "../../shell/programs/coreutils/runners.ts"
import { SCRIPT_OPTION_PROGRAMS } from "../../shell/programs/coreutils/script-options.ts"
import { SORTED_FILE_PROGRAMS } from "../../shell/programs/coreutils/sorted-files.ts"
import { SUM_PROGRAMS } from "../../shell/programs/coreutils/checksums.ts"
import { SYSTEM_PROGRAMS } from "../../shell/programs/coreutils/system.ts"
import { TARGET_PROGRAMS } from "../../shell/compat/targets.ts"
import { TEXT_PROGRAMS } from "../../shell/programs/text-programs.ts"
import { awkProgram } from "../../shell/programs/awk/awk.ts"
import { bcProgram } from "../../shell/programs/bc.ts"
import { chmodProgram } from "../../shell/programs/coreutils/chmod.ts"
import { cutProgram } from "../../shell/programs/coreutils/cut.ts"
import { diffProgram } from "../../shell/programs/diff.ts"
import { duProgram } from "../../shell/programs/coreutils/du.ts"
import { fileProgram } from "../../shell/programs/file/file.ts"
import { findProgram } from "../../shell/programs/find.ts"
import { jqProgram } from "../../shell/programs/jq/jq.ts"
import { lsProgram } from "../../shell/programs/ls.ts"
import { mktempProgram } from "../../shell/programs/mktemp.ts"
import { odProgram } from "../../shell/programs/od.ts"
import { patchProgram } from "../../shell/programs/patch.ts"
import { sedProgram } from "../../shell/programs/sed/sed.ts"
import { seqProgram } from "../../shell/programs/coreutils/seq.ts"
import { shufProgram } from "../../shell/programs/coreutils/shuf.ts"
import { sortProgram } from "../../shell/programs/sort.ts"
import { tarProgram } from "../../shell/programs/tar.ts"
import { trProgram } from "../../shell/programs/coreutils/tr.ts"
import { tsortProgram } from "../../shell/programs/coreutils/tsort.ts"
import { xxdProgram } from "../../shell/programs/hex/xxd.ts"

export const SHELL_PROGRAMS: ReadonlyArray<Command> = [
  ...TEXT_PROGRAMS,
  ...LINK_PATH_PROGRAMS,
  ...PATH_PART_PROGRAMS,
  ...REMOVING_PROGRAMS,
  ...MORE_PROGRAMS,
  ...CORRECTIONS,
  ...FORM_PROGRAMS,
  ...TARGET_PROGRAMS,
  ...GREP_PROGRAMS,
  sedProgram,
  mktempProgram,
  ...MAKING_PROGRAMS,
  sortProgram,
  bcProgram,
  tarProgram,
  trProgram,
  lsProgram,
  chmodProgram,
  cutProgram,
  diffProgram,
  fileProgram,
  findProgram,
  odProgram,
  xxdProgram,
  ...SUM_PROGRAMS,
  ...BASE_PROGRAMS,
  ...COPYING_PROGRAMS,
  ...NUMBER_PROGRAMS,
  ...RUNNER_PROGRAMS,
  ...SCRIPT_OPTION_PROGRAMS,
  ...SORTED_FILE_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  shufProgram,
  tsortProgram,
  seqProgram,
  duProgram,
  ...PART_PROGRAMS,
  ...HEXDUMP_PROGRAMS,
  patchProgram,
  jqProgram,
  awkProgram,
]
