// Receives just-bash as npm installed it, bundled into one file; removes what Perch replaces: an older copy of RE2JS (150 KiB)
// and the programs that `src/shell/programs/` implements (380 KiB), and what can't run in a Worker (30 KiB). Also makes small
// corrections. npm runs this after each installation of this project's dependencies
// (`dependencies`, which apps that install the package don't run), and so does the build.
// Invariant: a file that is not exactly the expected one is left unchanged, and the script fails.
import { createHash } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const FILE = path.join(ROOT, "node_modules/just-bash/dist/bundle/browser.js")

/** just-bash 3.4.2. For another version, find these fragments again; `test/shell` shows what no longer works. */
const SHA_256 = "6390563a926e5018d5bc2e8b824ae1b13b87bdd3ed31857bacef31b3c100f224"
/** Where the copy of RE2JS begins: one statement that declares all of its classes, and a function that creates them. */
const BEGIN = "var J,j,$,Bn,Se,ze,v1,"
/** Its class that translates the syntax of a pattern, which is kept. */
const TRANSLATE = "nu=class e{static isUpperCaseAlpha("
/** Its class that compiles a pattern, which is replaced. */
const RE2JS = ",Vr=class e{static CASE_INSENSITIVE="
/** The first code after the copy. */
const END = "function Tb(e){let t=0;"

const SHARED = 'import{RE2JS as PerchRE2JS,RE2JSSyntaxException as it}from"../../../re2js/build/index.js";'

/**
 * Replaces the copy by the package and what other code uses of the copy: its class, and the function that creates the classes.
 * The translation of patterns stays: that of the package reads an unknown escape as the letter, so that `grep -P 'a\Rb'` would
 * find nothing instead of failing.
 */
const withShared = (source) => {
  const [begin, translate, re2js, end] = [BEGIN, TRANSLATE, RE2JS, END].map((text) => source.indexOf(text))
  return `${SHARED}${source.slice(0, begin)}var ${source.slice(translate, re2js)},Vr=class extends PerchRE2JS{static translateRegExp(t){return nu.translate(t)}},k1=()=>{};${source.slice(end)}`
}

/** Small corrections: what the interpreter has, and what replaces it. */
const CORRECTED = [
  // How `$(…)` takes the newlines off the end of what was printed. Tried from each newline of a run in the middle, the pattern
  // takes quadratic time: 100,000 empty lines before a word stop the thread for ten seconds.
  [/replace\(\/\\n\+\$\/,""\)/g, 'replace(/(?<!\\n)\\n+$/,"")'],
  // How `declare -p` prints associative arrays: values as those of other arrays, bare keys, a blank after the last element.
  [
    /function sp\(e\)\{return Tt\(e\)\}function ip\(e\)\{.*?"\)\}'`\}/,
    "function sp(e){return ds(e)}function ip(e){return/^[\\w./:@%+,=-]+$/.test(e)?e:ds(e)}",
  ],
  [/(declare -A \$\{\w\}=\(\$\{\w\.join\(" "\)\})\)/g, "$1 )"],
  // The error of programs that another build of the interpreter has: it recommends settings that users of Perch don't have.
  [/return n4\(t\)\?K\(`[^`]*`,127\):/, "return "],
  // The operands of its arithmetic: an assignment returns a BigInt if its value has more than 53 bits (`(y = x) + 1`).
  ["function qN(e,t,n){switch", "function qN(e,t,n){e=Number(e);t=Number(t);switch"],
  ["function ZN(e,t){switch", "function ZN(e,t){e=Number(e);switch"],
  ['function Yw(e,t,n){switch(n){case"=":return t;', 'function Yw(e,t,n){if(n==="=")return t;t=Number(t);switch(n){'],
  // The name after a tilde: `~+` is the current directory.
  ["/[a-zA-Z0-9_-]/.test(t[r]);)r++;return r}", "/[a-zA-Z0-9_+-]/.test(t[r]);)r++;return r}"],
]

const withCorrections = (source) => CORRECTED.reduce((text, [from, instead]) => text.replace(from, instead), source)

/** Programs that Perch replaces completely: it never calls those of just-bash (`src/tools/bash/shell-programs.ts` lists all of Perch's). */
const REPLACED = new Set(
  (
    "awk base64 basename comm cut diff dirname du egrep fgrep file find grep head join jq ls md5sum mkdir od readlink rm sed seq " +
    "sha1sum sha256sum sort tail touch tr uniq wc which xargs"
  ).split(" "),
)
/** The list entry of a program: its name, the function that creates its module, and the module's exports. */
const LISTED =
  /\{name:"([^"]+)",load:async\(\)=>\(await Promise\.resolve\(\)\.then\(\(\)=>\([\w$]+\(\),([\w$]+)\)\)\)\.[\w$]+\},?/g
/** The code that fills a module's exports. */
const FILLED = /([;}])ae\(([\w$]+),\{[^}]*\}\);/g
/** The code that creates a module when it is first used. With the annotation, a bundler drops modules that nothing references. */
const MADE = /=(L|Jo)\(\(/g
const MARKED = "=/*@__PURE__*/$1(("

/** Only the replaced `ls` uses this package, and a bundler keeps an unused one for its side effects. */
const IMPORTED = 'import{minimatch as Ah}from"minimatch";'

const withoutReplaced = (source) => {
  const listed = [...source.matchAll(LISTED)].map(([, program, exports]) => ({ program, exports }))
  const used = new Set(listed.filter(({ program }) => !REPLACED.has(program)).map(({ exports }) => exports))
  const unused = new Set(listed.map(({ exports }) => exports).filter((exports) => !used.has(exports)))
  return source
    .replaceAll(LISTED, (text, program) => (REPLACED.has(program) ? "" : text))
    .replaceAll(FILLED, (text, before, exports) => (unused.has(exports) ? before : text))
    .replace(IMPORTED, "")
    .replaceAll(MADE, MARKED)
}

/**
 * Code that this build of just-bash never calls. It hides globals from programs written in JavaScript only in Node, where it knows by
 * `AsyncLocalStorage` which script runs: here the methods that hide them, and the list of what they hide. Each fragment ends before
 * `to`.
 */
const UNREACHABLE = [
  { from: "shouldBlock(){if(Tr||", to: "});function oh(e)", instead: "}" },
  { from: "||Gp().has(n.type)", to: ")),this.violation=n", instead: "" },
]

const withoutUnreachable = (source) =>
  UNREACHABLE.reduce((text, { from, to, instead }) => {
    const start = text.indexOf(from)
    return start === -1 ? text : text.slice(0, start) + instead + text.slice(text.indexOf(to, start))
  }, source)

/** Returns true if the file was changed, false if it had been changed before. */
export const adaptShell = (file = FILE) => {
  // Without the development packages there is no shell to bundle.
  if (!fs.existsSync(file)) return false
  const source = fs.readFileSync(file, "utf8")
  const isShared = source.startsWith(SHARED)
  if (!isShared && createHash("sha256").update(source).digest("hex") !== SHA_256)
    throw new Error(`${file} is not that of just-bash 3.4.2. Adapt scripts/adapt-shell.mjs to the new version.`)
  const adapted = withCorrections(withoutUnreachable(withoutReplaced(isShared ? source : withShared(source))))
  if (adapted === source) return false
  // A process that reads the file meanwhile gets either the old or the new version, complete.
  const written = `${file}.${process.pid}`
  fs.writeFileSync(written, adapted)
  fs.renameSync(written, file)
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) adaptShell()
