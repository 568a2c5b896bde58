// The functions of jq that are written in jq. All are parsed once, when the first filter runs.
import type { Scope } from "./scope.ts"
import { parseFilter } from "./parse.ts"

const SOURCE = `
def map(f): [.[] | f];
def map_values(f): .[] |= f;
def select(f): if f then . else empty end;
def recurse(f): def r: ., (f | r); r;
def recurse(f; c): def r: ., (f | select(c) | r); r;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def with_entries(f): to_entries | map(f) | from_entries;
def del(f): delpaths([path(f)]);
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def any: any(.[]; .);
def any(f): any(.[]; f);
def any(g; c): isempty(first(g | c | select(.))) | not;
def all: all(.[]; .);
def all(f): all(.[]; f);
def all(g; c): isempty(first(g | c | select(. | not)));
def in(x): . as $k | x | has($k);
def add(f): reduce f as $x (null; . + $x);
def range($upto): range(0; $upto);
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def last(f): reduce f as $x (null; $x);
def nth($n; f): if $n < 0 then error("Out of bounds negative array index") else last(limit($n + 1; f)) end;
def isempty(f): label $out | (f | false, break $out), true;
def isvalid(f): try (f | true) catch false;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: todate;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def test($re): test($re; null);
def match($re): match($re; null);
def capture($re): capture($re; null);
def scan($re): scan($re; null);
def scan($re; $flags): match($re; "g" + ($flags // "")) | if (.captures | length) > 0 then [.captures[].string] else .string end;
def splits($re): splits($re; null);
def splits($re; $flags): split($re; $flags) | .[];
def sub($re; f): sub($re; f; "");
def gsub($re; f): sub($re; f; "g");
def gsub($re; f; $flags): sub($re; f; $flags + "g");
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def group_by(f): _keyed([f]) | _grouped;
def unique_by(f): [group_by(f)[] | .[0]];
def sort_by(f): _keyed([f]) | map(.[1]);
def min_by(f): _keyed([f]) | if length == 0 then null else .[0][1] end;
def max_by(f): _keyed([f]) | if length == 0 then null else .[-1][1] end;
def INDEX(f): INDEX(.[]; f);
def INDEX(s; f): [s | {key: (f | tostring), value: .}] | from_entries;
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def tostream: path(def r: (.[]?|r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init;
  if .e then $init else . end
  | if $i | length == 2
    then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
    else setpath(["e"]; $i[0] | length == 1) end;
  if .e then .x else empty end);
def truncate_stream(s): . as $n | null | s | . as $i | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def halt_error: halt_error(5);
def debug(m): (m | debug | empty), .;
def error: error(.);
.
`

let library: ReadonlyMap<string, Extract<Scope, { kind: "filter" }>> | null = null

/** The functions as `name/arity`. Each can call the others. */
export const libraryFilters = (): ReadonlyMap<string, Extract<Scope, { kind: "filter" }>> => {
  if (library !== null) return library
  const found = new Map<string, Extract<Scope, { kind: "filter" }>>()
  for (let node = parseFilter(SOURCE); node.type === "define"; node = node.rest) {
    const { name, params, body } = node
    found.set(`${name}/${params.length}`, { kind: "filter", name: "", params, body, outer: null })
  }
  library = found
  return found
}
