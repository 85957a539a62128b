import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { executeTemplate } from "./execute-template.ts";
import { parseTemplate } from "./template-parser.ts";

const object = { apiVersion: "v1", kind: "X", m: { a: 1, b: "x" }, l: [1, 2] };

each<[template: string, output: string]>([
  [
    '{{printf "%05x|%#05x|%+05d|% d|%08.3d|%-08d|" 255 255 3 3 3 3}}',
    "000ff|0x000ff|+0003| 3|     003|3       |",
  ],
  ['{{printf "%#q %#q %.3d %x %X" "a" "b`c" 5 -255 "hi"}}', '`a` "b`c" 005 -ff 6869'],
  [
    '{{printf "%08.2f|%+.1e|% f|%6.3g|%.0f|%.0f" 3.14159 12345.678 1.5 1234.5678 0.5 1.5}}',
    "00003.14|+1.2e+04| 1.500000|1.23e+03|0|2",
  ],
  ['{{printf "%v %5v %-5v|%05v" true 3 "x" 7}}', "true     3 x    |00007"],
  ['{{printf "%s %v" nil nil}}', "%!s(<nil>) <nil>"],
  ['{{printf "%[1]d %[1]x %[3]d" 1 2}}', "1 1 %!d(BADINDEX)"],
  ['{{printf "%-10.3s|%10.2f|" "abcdef" 2.345}}', "abc       |      2.35|"],
  [
    '{{printf "%O %c %q %U %#U" 8 128512 65 128512 65}}',
    "0o10 \ud83d\ude00 'A' U+1F600 U+0041 'A'",
  ],
  ['{{printf "%6d|%-6d|%6t|%6q" 1 2 true "x"}}', '     1|2     |  true|   "x"'],
  ['{{printf "%.1f %.2f %.3f" 0.25 1.005 2.0005}}', "0.2 1.00 2.001"],
  ['{{printf "%*s|%-*s|" 5 "a" 4 "b"}}', "    a|b   |"],
  ['{{printf "%.*f" 2 3.14159}}', "3.14"],
  ['{{printf "%!"}}', "%!!(MISSING)"],
  ['{{printf "%"}}', "%!(NOVERB)"],
  ['{{printf "%5"}}', "%!(NOVERB)"],
  ['{{printf "%[x]d" 1}}', "%!d(BADINDEX)"],
  ['{{printf "%[5]d" 1}}', "%!d(BADINDEX)"],
  [
    '{{printf "%g %g %g %v" 100000.0 1000000.0 123456.789 0.0001}}',
    "100000 1e+06 123456.789 0.0001",
  ],
  [
    '{{printf "%t" 1}} {{printf "%d" true}} {{printf "%f" 1}} {{printf "%d" 1.5}}',
    "%!t(int=1) %!d(bool=true) %!f(int=1) %!d(float64=1.5)",
  ],
  ['{{printf "%+q" "\u00e9"}}', '"\\u00e9"'],
  [
    '{{printf "%x" "\u00e9"}} {{printf "%#x" "hi"}} {{printf "%# x" "hi"}}',
    "c3a9 0x6869 0x68 0x69",
  ],
  ['{{printf "%v" 9223372036854775807}}', "9223372036854775807"],
  ['{{printf "%d" -9223372036854775808}}', "-9223372036854775808"],
  ['{{printf "%q" 39}}', "'\\''"],
  ['{{printf "%q" .m}}', 'map["a":\'\\x01\' "b":"x"]'],
  ['{{printf "%5d" .l}}', "[    1     2]"],
  ['{{printf "%+v" .m}}', "map[a:1 b:x]"],
  ['{{printf "%6.2v|%.3v" 3.14159 "abcdef"}}', "   3.1|abc"],
])("goPrintf: %s", (text, output) => {
  let out = "";
  const definitions = parseTemplate("output", text);
  executeTemplate({ name: "output", text, definitions, strict: false }, object, (part) => {
    out += part;
  });
  expect(out).toBe(output);
});
