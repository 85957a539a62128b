import { expect, test } from "vitest";
import { boolFlag, type Flag, intFlag, stringFlag, stringsFlag } from "./flag.ts";
import { type GivenValues, isFlag, parseFlag, UsageError } from "./parse-flags.ts";

const usage = "does something";
/** Each occurrence without a value counts one more. */
const counter: Flag<number> = {
  ...intFlag({ short: "v", usage }),
  implied: "+1",
  read: (text, before = 0) => (text === "+1" ? before + 1 : Number(text)),
};
const flags = {
  output: stringFlag({ short: "o", usage }),
  "data-dir": stringFlag({ usage }),
  port: intFlag({ short: "p", usage }),
  all: boolFlag({ short: "A", usage }),
  watch: boolFlag({ short: "w", usage }),
  v: counter,
  names: stringsFlag({ usage }),
};

/** Parses all flags; returns the other arguments. */
function parse(...args: readonly string[]): { given: Record<string, unknown>; rest: string[] } {
  const given: GivenValues = new Map();
  const rest: string[] = [];
  for (let left = args; left.length > 0; ) {
    const [first = "", ...after] = left;
    if (isFlag(first)) {
      left = parseFlag(left, flags, given);
    } else {
      rest.push(first);
      left = after;
    }
  }
  return { given: Object.fromEntries(given), rest };
}

test.each([
  [["--output", "json"], { output: "json" }, []],
  [["--output=json", "x"], { output: "json" }, ["x"]],
  [["--output="], { output: "" }, []],
  [["--output=a=b"], { output: "a=b" }, []],
  [["--output", "--all"], { output: "--all" }, []],
  [["-o", "json"], { output: "json" }, []],
  [["-ojson"], { output: "json" }, []],
  [["-o=json"], { output: "json" }, []],
  [["-o="], { output: "=" }, []],
  [["-Aw"], { all: true, watch: true }, []],
  [["-Awojson", "x"], { all: true, watch: true, output: "json" }, ["x"]],
  [["-Awo", "json", "x"], { all: true, watch: true, output: "json" }, ["x"]],
  [["--all", "false"], { all: true }, ["false"]],
  [["--all=false"], { all: false }, []],
  [["-A=false"], { all: false }, []],
  [["-vvv", "-v=7", "-v"], { v: 8 }, []],
  [["--names=a,b", "--names", "c"], { names: ["a", "b", "c"] }, []],
  [["--port=1", "--port=2"], { port: 2 }, []],
  [["--data_dir=x"], { "data-dir": "x" }, []],
  [["-", "a"], {}, ["-", "a"]],
  [["--port", "-5"], { port: -5 }, []],
])("parseFlag: %j", (args, given, rest) => {
  expect(parse(...args)).toEqual({ given, rest });
});

test.each([
  [["--nope"], "unknown flag: --nope", undefined],
  [["--prot=1"], "unknown flag: --prot", "Did you mean --port?"],
  [["--constructor"], "unknown flag: --constructor", undefined],
  [["-x"], "unknown shorthand flag: 'x' in -x", undefined],
  [["-Axw"], "unknown shorthand flag: 'x' in -xw", undefined],
  [["--output"], "flag needs an argument: --output", undefined],
  [["-o"], "flag needs an argument: 'o' in -o", undefined],
  [["-Ao"], "flag needs an argument: 'o' in -o", undefined],
  [["---all"], "bad flag syntax: ---all", undefined],
  [["--=x"], "bad flag syntax: --=x", undefined],
  [
    ["--port=x"],
    'invalid argument "x" for "-p, --port" flag: strconv.ParseInt: parsing "x": invalid syntax',
    undefined,
  ],
  [
    ['--names=a"b'],
    'invalid argument "a\\"b" for "--names" flag: parse error on line 1, column 2: bare " in non-quoted-field',
    undefined,
  ],
])("parseFlag: rejects %j", (args, message, suggestion) => {
  expect(() => parse(...args)).toThrow(new UsageError(message, suggestion));
});
