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

/**
 * Of the interpreter's arithmetic: the operators (`qN` with two operands, `ZN` with one, `Yw` those that assign), a number from its
 * digits, and the assignment of a variable. `isInner`: whether a byte is not the first one of its character.
 */
const ARITHMETIC =
  `function qN(e,t,n){switch(n){case"<":return e<t?1:0;case"<=":return e<=t?1:0;case">":return e>t?1:0;case">=":return e>=t?1:0;case"==":return e==t?1:0;case"!=":return e!=t?1:0;case",":return t}
if(t===0&&(n==="/"||n==="%"))throw new Ge("division by 0");
if(n==="**"&&t<0)throw new Ge("exponent less than 0");
if(typeof e=="number"&&typeof t=="number"){let r=n==="+"?e+t:n==="-"?e-t:n==="*"?e*t:n==="/"?Math.trunc(e/t):n==="%"?e%t:NaN;if(Number.isSafeInteger(r))return r}
let r=BigInt(e),s=BigInt(t),i=1n;switch(n){case"+":i=r+s;break;case"-":i=r-s;break;case"*":i=r*s;break;case"/":i=r/s;break;case"%":i=r%s;break;case"&":i=r&s;break;case"|":i=r|s;break;case"^":i=r^s;break;case"<<":i=r<<(s&63n);break;case">>":i=r>>(s&63n);break;
default:for(;s>0n;s>>=1n){if(s&1n)i=BigInt.asIntN(64,i*r);r=BigInt.asIntN(64,r*r)}}return narrow(i)}
function Yw(e,t,n){return n==="="?t:qN(e,t,n.slice(0,-1))}
function ZN(e,t){return t==="-"?qN(0,e,"-"):t==="!"?e?0:1:t==="~"?qN(-1,e,"-"):e}
function narrow(e){e=BigInt.asIntN(64,e);let t=Number(e);return Number.isSafeInteger(t)?t:e}
function wide(e){let t=Number(e);return Number.isSafeInteger(t)||t!==t?t:narrow(BigInt(e))}
function isInner(e){return e>="\\x80"&&e<"\\xc0"}
function assigned(e,t,n){if(un(e,t))throw new Ge(t+": readonly variable");e.state.env.set(t,n)}`.replaceAll("\n", "")

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
  // Its arithmetic has 53 bits, and 32 in `&`, `|`, `^`, `~`, `<<` and `>>`. Here it has 64: a number that needs more than 53 is a
  // BigInt.
  [/function qN\(e,t,n\)\{.*?(?=async function KN\()/, ARITHMETIC],
  [/o=o\*i\+l,o>Number\.MAX_SAFE_INTEGER\)return Number\.MAX_SAFE_INTEGER/, 'o=qN(qN(o,i,"*"),l,"+"),0);'],
  [
    /Number\.parseInt\(e\.slice\(2\),16\);return n>Number\.MAX_SAFE_INTEGER\?Number\.MAX_SAFE_INTEGER:n/,
    "wide(e);return n",
  ],
  [/Number\.parseInt\(e,8\);return n>Number\.MAX_SAFE_INTEGER\?Number\.MAX_SAFE_INTEGER:n/, 'wide("0o"+e);return n'],
  [/Number\.parseInt\(e,10\);return t>Number\.MAX_SAFE_INTEGER\?Number\.MAX_SAFE_INTEGER:t/, "wide(e);return t"],
  // The value of a variable: octal with a leading zero, also in `((x++))` and `((x += 1))`.
  [
    /let (\w)=Number\.parseInt\((\w),10\);if\(!Number\.isNaN\(\1\)&&\/\^-\?\\d\+\$\/\.test\(\2\.trim\(\)\)\)return \1;/g,
    "if(/^\\s*-?(?:0|[1-9]\\d*)\\s*$$/.test($2))return wide($2);",
  ],
  [
    /(\w)=Number\.parseInt\(((?:await We|Xe|e\.state\.env\.get)\((?:\w,)*\w\))(?:\|\|"0")?,10\)\|\|0,(\w)=t\.operator==="\+\+"\?\1\+1:\1-1/g,
    "$1=await QN(e,$2,r),$3=qN($1,1,t.operator[0])",
  ],
  [
    /(\w)=Number\.parseInt\((l|e\.state\.env\.get\(o\))\|\|"0",10\)\|\|0,(?=\w=await s\(t\.value\))/g,
    '$1=t.operator==="="?0:await QN(e,$2,r),',
  ],
  [/let i=await Gl\(e,t\.content\);return Number\.parseInt\(i,10\)\|\|0/, "return QN(e,await Gl(e,t.content),r)"],
  [
    /let o=\(await We\(e,t\.name\)\)\.trim\(\);if\(!o\)return 0;let a=Number\.parseInt.*?return await s\(c\)/,
    "return QN(e,await We(e,t.name),r)",
  ],
  [/let o=i\.stdout\.trim\(\);return Number\.parseInt\(o,10\)\|\|0/, "return QN(e,i.stdout,r)"],
  // A variable that is read-only.
  [/e\.state\.env\.set\(o,(String\(\w\))\)(?=,t\.prefix|:we\(e,i,a|,c\}case"ArithDyn)/g, "assigned(e,o,$1)"],
  // Brace expansion (`{1..100}`): the limit on the number of elements applies to each word instead of the whole script. Every read
  // of `aborted` charges Perch's work budget.
  ["var Uo=1e4,", "var Uo=1e6,"],
  [
    "if(e.length>=n.maxResults)return!1;",
    'if(e.length>=n.maxResults)throw new C(`brace expansion result limit exceeded (${n.maxResults})`,"array_elements");',
  ],
  [
    'n.count++,e.executionScope.consumeLimited("brace_operations",1,Math.min(Hw,e.limits.maxBraceExpansionResults),"brace expansion")',
    'if(++n.count>e.limits.maxBraceExpansionResults*4||(n.count%8===0&&e.state.signal?.aborted))throw new C(`brace expansion result limit exceeded (${e.limits.maxBraceExpansionResults})`,"array_elements")',
  ],
  ["||n.count>Hw)throw new C(`brace", ")throw new C(`brace"],
  // `${x#…}` and `${x%…}` charge a sixteenth of what they did, because they read the text once and not once for each length.
  [/"pattern-removal",Math\.max\(1,t\.length\)/g, '"pattern-removal",1+(t.length>>4)'],
  // `a+=(x)`: the array keeps the index of its last element, so that an append neither copies nor searches the whole array.
  ["c=l?ln(l):void 0,u=", "c=l&&!s?ln(l):l,u="],
  [
    'let a=xe(e,t);if(a.length>0)o=Math.max(...a.map(([c])=>typeof c=="number"?c:0))+1;else',
    "let a=Bt(e,t);if(a?.elements.size>0)o=e.state.associativeArrays?.has(t)?1:(a.top??=Lt(e,t).at(-1))+1;else",
  ],
  ["i.elements.set(o,r)}", "i.elements.set(o,r);if(i.top>=0?n>i.top:i.elements.size===1)i.top=+o}"],
  [
    "{return Bt(e,t)?.elements.delete(String(n))??!1}",
    "{let r=Bt(e,t);if(r)r.top=void 0;return r?.elements.delete(String(n))??!1}",
  ],
  [
    'e.state.associativeArrays?.has(t)?"associative":"indexed").elements.clear()}',
    'e.state.associativeArrays?.has(t)?"associative":"indexed").elements.clear(),Bt(e,t).top=void 0}',
  ],
  // An assignment to a local that is an integer: `local -i n; local n=3+4`.
  [
    "e.state.env.set(p,h),e.state.options.allexport&&(",
    "e.state.env.set(p,qo(e,p)?await M4(e,h):h),e.state.options.allexport&&(",
  ],
  [
    'let S=e.state.env.get(p)??"";e.state.env.set(p,mr([S,x]',
    'let S=e.state.env.get(p)??"";e.state.env.set(p,qo(e,p)?await M4(e,`(${S||0})+(${x})`):mr([S,x]',
  ],
  // `${x@Q}` is quoted as bash quotes it, and `${x@A}` begins with the variable's attributes (`declare -r x='1'`).
  [
    /function ts\(e\)\{if\(e===""\).*?return`'\$\{e\}'`\}/s,
    "function ts(e){return Vo(e)?Jd(e):`'${e.replaceAll(\"'\",\"'\\\\''\")}'`}",
  ],
  ['s===27?t+="\\\\e"', 's===27?t+="\\\\E"'],
  ['case"A":return r?"":`${t}', 'case"A":return r?"":`${ns(e,t)&&`declare -${ns(e,t)} `}${t}'],
  // A subscript with a leading zero is octal (`${a[010]}`), or an error (`${a[08]}`).
  [
    /if\(\/\^-\?\\d\+\$\/\.test\((\w)\)\)(\w)=Number\.parseInt\(\1,10\);else(?=[ {]try)/g,
    "if(/^-?(?:0|[1-9]\\d*)$$/.test($1))$2=Number.parseInt($1,10);else",
  ],
  [
    /c=await Te\(e,d\.expression\)\}catch\{/g,
    "c=await Te(e,d.expression)}catch(h){if(h instanceof Ge&&/great|by 0/.test(h.message))throw h;",
  ],
  // A regular expression whose bracket is not closed is an error (`[[ x =~ [ ]]`).
  ['{converted:"\\\\[",endIndex', '{converted:"[",endIndex'],
  // `${…}` in an expression outside of `$((…))`, such as `${s:${#a[1]}}`, is expanded like everywhere else.
  [
    /async function Gl\(e,t\)\{.*?(?=async function Te\()/,
    'async function Gl(e,t){return _e(e,new be().parseWordFromString("$${"+t+"}",!0))}',
  ],
  // In `${s:${n:-3}:2}`, the colon inside of `${n:-3}` does not separate the offset from the length.
  ['if(b==="("||b==="[")d++;else if(b===")"||b==="]")d--;', 'if("([{".includes(b))d++;else if(")]}".includes(b))d--;'],
  // The error's text for a number that is invalid: `08`.
  [/\{type:"ArithNumber",value:Lo\(c\)\}/, '{type:"ArithNumber",value:Lo(c),text:c}'],
  [
    'throw new Ge("value too great for base")',
    'throw new Ge(`${t.text}: value too great for base (error token is "${t.text}")`)',
  ],
  // After `exec < file`, a command in a pipe, or in a group with an input of its own, reads that.
  ['u=-1,f=a.get(0);f?.kind==="input"', 'u=-1,f=n===""&&e.state.groupStdin===void 0?a.get(0):void 0;f?.kind==="input"'],
  // `mapfile -n 2` reads two lines, and leaves the others to the next command.
  [
    'for(;d<u.length;){e.executionScope.consumeWork(1,"mapfile input")',
    'for(;d<u.length&&!(s>0&&p>=s);){e.executionScope.consumeWork(1,"mapfile input")',
  ],
  ["p++}}break}let y=u.slice(d,w)", "p++}}d=u.length;break}let y=u.slice(d,w)"],
  [
    '(e.state.groupStdin=""),{...Q("","",0),internalStdinConsumed:u.length}',
    '(e.state.groupStdin=u.slice(d)),{...Q("","",0),internalStdinConsumed:d}',
  ],
  // `read -n` and `-N` count characters, not bytes.
  [
    "for(;z<b.length&&F<a;){let X=b[z];",
    "for(;z<b.length&&(F<a||isInner(b[z]));){let X=b[z];if(isInner(X)){A(X),R=++z;continue}",
  ],
  [
    "let F=Math.min(l,b.length);S=b.substring(0,F),O(S),R=F,N=F>=l,",
    "let F=0,q=0;for(;F<b.length&&(q<l||isInner(b[F]));F++)isInner(b[F])||q++;S=b.substring(0,F),O(S),R=F,N=q>=l,",
  ],
  [
    "return: can only `return' from a function or sourced script\\n\")",
    "return: can only `return' from a function or sourced script\\n\",2)",
  ],
  // In a text of several lines, `.` of a regular expression also matches the ends of lines (`[[ $text =~ first.*last ]]`).
  ['ie(o,i?"i":"").match(n)', 'ie(o,i?"is":"s").match(n)'],
  // After a word, `!(` begins a pattern (`rm !(*.md)`), and not a negation.
  ['i==="!"?o==="="', 'i==="!"&&!(o==="("&&[v.WORD,v.NAME,v.NUMBER,v.IN].includes(this.tokens.at(-1)?.type))?o==="="'],
  // The first line of a script, which is a comment: without it, the numbers of the other lines are too small.
  [/if\(i\.startsWith\("#!"\)\)\{let l=i\.indexOf\(`\n`\);l!==-1&&\(i=i\.slice\(l\+1\)\)\}/g, ""],
  // `hash` finds the programs that have no file.
  ["let m=!1;for(let g of p){if(!g)continue;", "let m=e.commands.has(h);for(let g of p){if(!g)continue;"],
  // `[ -x "$(command -v jq)" ]`: programs have no files, but scripts test for them.
  [
    "async function Zl(e,t,n){let r=Od(e,n);switch",
    'async function Zl(e,t,n){let r=Od(e,n),s=r.split("/").pop();if(/[aefrsx]/.test(t)&&bc(r,s)&&e.commands.has(s))return!0;switch',
  ],
  // The elements of an array of integers (`declare -i a`) are expressions.
  [
    'let u=i?Ec(e,Xe(e,a,c)||"",s):s;',
    'let u=qo(e,a)?await M4(e,i?`(${Xe(e,a,c)||0})+(${s})`:s):i?Ec(e,Xe(e,a,c)||"",s):s;',
  ],
  ["we(e,t,o+a,i[a])}", "we(e,t,o+a,qo(e,t)?await M4(e,i[a]):i[a])}"],
  // What a script has printed when it is aborted, as by `timeout`: the error has it, from each list of commands and each program.
  [
    /(\w) instanceof Yt\|\|\1 instanceof he(?=\)|\|\|\1 instanceof C)/g,
    "$1 instanceof Yt||$1 instanceof he||$1 instanceof He",
  ],
  [
    "if(a instanceof C)throw i.prependTo(a),a;return",
    "if(a instanceof C||a instanceof He)throw i.prependTo(a),a;return",
  ],
  ["throw i instanceof _t&&i.prependOutput", "throw(i instanceof _t||i instanceof He)&&i.prependOutput"],
  ["f instanceof Promise){let g=f.then(b=>(i(),o(b)))", "f instanceof Promise){let g=f.then(o)"],
  ["Promise.race([d.then(()=>!0),", "Promise.race([d,"],
  ['new He("",`bash: execution aborted\n`);throw m', "new He(m.result?.stdout,m.result?.stderr);throw m"],
  // Why a program is aborted is also why the shells that it has started are.
  [/r\?\.abort\(new He\("",`bash: \$\{t\} context revoked\n`\)\)/, "r?.abort(e.signal.reason)"],
  // Completion needs a terminal: what profiles define is accepted.
  ['if(t==="complete")return tp(c,n);if(t==="compopt")return np(c,n);', 'if(t==="complete"||t==="compopt")return Fe;'],
  // The help for builtins that do nothing, or that the interpreter lacks.
  [
    /\["(?:bg|caller|complete|enable|fc|fg|history|logout|suspend|times)",\["(?:[^"\\]|\\.)*",`(?:[^`\\]|\\.)*`\]\],?/g,
    "",
  ],
  // The help for a builtin is its usage and one sentence: the rest would make a Worker 4 KiB larger.
  [/(\["[^"]*",\["(?:[^"\\]|\\.)*",`(?:[^`\\\n]|\\.)*)\n(?:[^`\\]|\\.)*(?=`\]\])/g, "$1"],
  // `column -t -s ,` keeps empty fields, and each character of `-s ',;'` ends a field.
  ["E=B0(x,s,a,S+1)", "E=B0(x,s,a||s!==void 0,S+1)"],
  [
    "function B0(e,t,n,r){return t?n?e.split(t,r):e.split(t,r)",
    'function B0(e,t,n,r){for(let s of t??"")e=e.replaceAll(s,t[0]);return t?n?e.split(t[0],r):e.split(t[0],r)',
  ],
  // The name after a tilde: `~+` is the current directory.
  ["/[a-zA-Z0-9_-]/.test(t[r]);)r++;return r}", "/[a-zA-Z0-9_+-]/.test(t[r]);)r++;return r}"],
]

const withCorrections = (source) => CORRECTED.reduce((text, [from, instead]) => text.replace(from, instead), source)

/** Programs that Perch or, `help`, a builtin replaces completely: it never calls those of just-bash (`src/tools/bash/shell-programs.ts` lists all of Perch's). */
const REPLACED = new Set(
  (
    "awk base64 basename chmod comm cut diff dirname du egrep fgrep file find grep head help join jq ls md5sum mkdir od readlink rm sed seq " +
    "sha1sum sha256sum sort tail timeout touch tr uniq wc which xargs"
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
 * Code that this build of just-bash never calls, or that Perch does not. It hides globals from programs written in JavaScript only
 * in Node, where it knows by `AsyncLocalStorage` which script runs: here the methods that hide them, and the list of what they
 * hide. Each fragment ends before `to`.
 */
const UNREACHABLE = [
  { from: "shouldBlock(){if(Tr||", to: "});function oh(e)", instead: "}" },
  { from: "||Gp().has(n.type)", to: ")),this.violation=n", instead: "" },
  { from: "if(!lt)return t;let n=lt.getStore(),r=n", to: "}isEnabled(){return this.getStatus()", instead: "return t" },
  { from: "getStatus(){let t=th()", to: "}activate(){", instead: "getStatus(){return{}" },
  { from: "if(this.refCount++,this.refCount===1)", to: "}static runTrusted(t){", instead: "" },
  { from: "if(!lt)return t();let n=lt.getStore();if(!n)", to: "}static async runTrustedAsync", instead: "return t()" },
  { from: "if(!lt)return t();let n=lt.getStore();if(!n)", to: "}static async runUntrusted", instead: "return t()" },
  { from: "if(!lt)return t();let n=lt.getStore();return", to: "}}});function oh(e)", instead: "return t()" },
  // `src/shell/compat/scripts/shells.ts` passes every script as `-c`.
  { from: 'if(e.length===0){let s=ue(t.stdin);return s.trim()?yi(s,"bash"', to: '}},CS={name:"sh"', instead: "" },
  { from: 'if(e.length===0){let s=ue(t.stdin);return s.trim()?yi(s,"sh"', to: '}};vS={name:"bash"', instead: "" },
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
