#### fields and raw output
jq -r '.orders[].customer' data/orders.json
#### select and build an object
jq -c '.orders[] | select(.paid) | {id, total: ([.items[] | .qty * .price] | add)}' data/orders.json
#### group and count
jq -c '.orders | group_by(.customer) | map({who: .[0].customer, n: length})' data/orders.json
#### sort, reverse and index
jq '[.orders[].id] | sort | reverse | .[0], .[-1], .[1:]' data/orders.json
#### string interpolation and formats
jq -r '.orders[] | "\(.id): \(.customer | ascii_upcase)"' data/orders.json; jq -r '.orders[0].items[] | [.sku, .qty, .price] | @csv' data/orders.json; jq -r '["a b", 1] | @sh, @tsv, @json' <<< null
#### the alternative operator and null
jq -c '.orders | map(.note // "none")' data/orders.json; jq '.missing.deep' data/orders.json
#### keys, has, to_entries
jq -c '.orders[0] | keys, has("paid"), has("nope")' data/orders.json; jq -c '{b:1,a:2} | to_entries' <<< null; jq -c 'with_entries(.value += 1)' <<< '{"x":1}'
#### reduce and a function
jq 'reduce .orders[].items[].qty as $q (0; . + $q)' data/orders.json; jq -n 'def f: if . < 2 then 1 else . * (. - 1 | f) end; 6 | f'
#### arguments from the shell
jq -n -c --arg who "Eve" --argjson n '{"a":1}' '{$who, n: $n.a}'
#### slurp and raw input
printf '1\n2\n3\n' | jq -s 'add'; printf 'a\nb\n' | jq -R . ; printf 'a\nb\n' | jq -Rs 'split("\n")' -c
#### update a path and delete one
jq -c '.orders[0] | .items[0].qty |= . + 10 | del(.note, .items[1:])' data/orders.json
#### test, capture, sub, gsub
jq -c -n '"abc-123" | test("[0-9]+"), capture("(?<w>[a-z]+)-(?<n>[0-9]+)"), sub("[0-9]+"; "N"), gsub("[a-c]"; "x"), [scan("[a-z]")]'
#### paths, walk and recursive descent
jq -c '[.. | numbers] | length' data/orders.json; jq -c 'paths(type == "boolean")' data/orders.json
#### exit status
echo '{"a":false}' | jq -e '.a'; echo "exit $?"; echo '{"a":1}' | jq -e '.a' > /dev/null; echo "exit $?"
#### invalid JSON
echo '{"a":' | jq .; echo "exit $?"
#### a wrong type
echo '[1]' | jq '.a'; echo "exit $?"
#### try and the question mark
jq -c '[.[] | tonumber?]' <<< '["1","x","3"]'; jq -r 'try error("bad") catch "caught " + .' <<< null
#### unique, flatten, min, max, range, limit
jq -n -c '[3,1,2,3] | unique, min, max, ([1,[2,[3]]] | flatten), [range(0;10;3)], [limit(2; 5,6,7)], any(. > 2), index(2)'
#### indentation, tabs and sorted keys
jq -S --tab . <<< '{"b":{"d":1,"c":[1,2]},"a":null}'; jq --indent 1 . <<< '{"b":[1]}'
#### numbers and strings
jq -n -c '1.0, 1.50, 100000000000, 3e2, (10 / 3), "é\u00e9", ("abc" | length), ("a,b" | split(",")), ([1,2] | join("-")), (1 | tostring), ltrimstr("x"), ("abc" | .[1:2])'
#### containment of values of several types
jq -c 'contains([null, 2]), contains(["2"]), ([1, "a"] | inside([null, 1, "abc"])), ({a: 1} | contains({a: "1"})), (try contains({a: 1}) catch "types")' <<< '[1, null, 2]'
