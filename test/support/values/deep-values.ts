// JSON texts that are deep, huge or unusual, as a client may send them over any route, and whether the limits allow them.

export interface DeepValue {
  readonly name: string
  readonly json: string
  /** The limit that it exceeds; null: it is an ordinary value. */
  readonly fault: "syntax" | "depth" | "parts" | "key" | null
}

const lists = (depth: number, inside = ""): string => "[".repeat(depth) + inside + "]".repeat(depth)
const objects = (depth: number, inside = "1"): string => '{"a":'.repeat(depth) + inside + "}".repeat(depth)
const both = (depth: number): string => '[{"a":'.repeat(depth / 2) + "1" + "}]".repeat(depth / 2)
const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join(",")

const value = (name: string, json: string, fault: DeepValue["fault"] = null): DeepValue => ({ name, json, fault })

/** A schema in which each level references the next one twice. */
const doubling = (levels: number): string =>
  `{"$defs":{${many(levels, (n) => `"d${n}":{"anyOf":[{"$ref":"#/$defs/d${n + 1}"},{"$ref":"#/$defs/d${n + 1}"}]}`)},"d${levels}":{"type":"string"}},"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}}}`

export const DEEP_VALUES: ReadonlyArray<DeepValue> = [
  value("lists, 60 deep", lists(60)),
  value("objects, 60 deep", objects(60)),
  value("lists, 101 deep", lists(101), "depth"),
  value("lists, 150 deep", lists(150, "1"), "depth"),
  value("objects, 150 deep", objects(150), "depth"),
  value("lists, 3,500 deep", lists(3500), "depth"),
  value("objects, 3,500 deep", objects(3500), "depth"),
  value("lists and objects in turn, 3,500 deep", both(3500), "depth"),
  value("lists, 100,000 deep", lists(100_000), "depth"),
  value("objects, 100,000 deep", objects(100_000), "depth"),
  value("100,000 lists that are never closed", "[".repeat(100_000), "depth"),
  value("deep behind a thousand shallow members", `[${many(1000, () => "[]")},${lists(3500)}]`, "depth"),
  value("deep, with brackets in texts and quotes in keys", `{"]}\\"":"]]}}\\\\","a":${objects(3500)}}`, "depth"),
  value("deep behind white space", `[${" \n\t".repeat(5000)}${lists(3500)}]`, "depth"),
  value("deep in every one of 50 members", `[${many(50, () => lists(2000))}]`, "depth"),
  value("a list of 90,000 numbers", `[${many(90_000, () => "0")}]`),
  value("a list of 1,000,000 numbers", `[${many(1_000_000, () => "0")}]`, "parts"),
  value("an object of 150,000 keys", `{${many(150_000, (n) => `"${n}":0`)}}`, "parts"),
  value("300,000 empty lists", `[${many(300_000, () => "[]")}]`, "parts"),
  value("400 lists of 400 members", `[${many(400, () => `[${many(400, () => "1")}]`)}]`, "parts"),
  value("a key of 200,000 characters", `{"${"k".repeat(200_000)}":1}`),
  value("a text of 500,000 characters", `{"a":"${"t".repeat(500_000)}"}`),
  value("a text of 50,000 brackets", `{"a":"${"[{".repeat(25_000)}"}`),
  value("a text of 20,001 backslashes", `{"a":"${"\\".repeat(20_002)}"}`),
  value("a text with NUL and control characters", '{"a\\u0000b":"c\\u0000\\u0001\\u001f\\u007fd"}'),
  value("lone surrogates in a key and a text", '{"\\ud800":"\\udc00\\ud83d"}'),
  value("characters beyond the first plane", '{"😀":"𝕏\\ud83d\\ude00"}'),
  value("a key __proto__", '{"__proto__":{"isAdmin":true,"permissionMode":"bypassPermissions"}}', "key"),
  value("a key __proto__ in escapes", '{"a":{"\\u005f_pro\\u0074o__":{"isAdmin":true}}}', "key"),
  value("a key __proto__ with space behind it", '[{"__proto__"\n : null}]', "key"),
  value("a text __proto__", '{"a":"__proto__","b":["__proto__"]}'),
  value("keys of every object", '{"constructor":{"prototype":{"x":1}},"toString":1,"valueOf":null,"hasOwnProperty":0}'),
  value("keys that promises and JSON look for", '{"then":1,"toJSON":2,"length":-1}'),
  value("numbers too large for any", '{"a":1e999,"b":-1e999,"c":1e-999,"d":-0}'),
  value("a number of 5,000 digits", `{"a":${"9".repeat(5000)}}`),
  value("whole numbers past the safe ones", '{"a":9007199254740993,"b":-9223372036854775809}'),
  value("the same key 1,000 times", `{${many(1000, () => '"a":1')}}`),
  value("empty keys and texts", '{"":{"":[""]}}'),
  value("a schema that asks for itself", '{"type":"object","properties":{"a":{"$ref":"#"}}}'),
  value(
    "a schema of references in a circle",
    '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
  ),
  value("a schema with 2^25 ways", doubling(25)),
  value("a schema 90 deep", '{"items":'.repeat(90) + "{}" + "}".repeat(90)),
  value(
    "a schema with a pattern that backtracks",
    '{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}',
  ),
  value("a text that is cut off", '{"a":"b', "syntax"),
  value("no JSON", "{]", "syntax"),
]
