import { expect, test } from "vitest";
import { unusedExports } from "./unused-exports.mjs";

const problems = (files: Readonly<Record<string, string>>): readonly string[] =>
  unusedExports(Object.entries(files).map(([path, source]) => ({ path, source })));

const used = "export const a = 1;\n";
const users: readonly [how: string, path: string, source: string][] = [
  ["an import", "src/x/b.ts", 'import { a } from "./a.ts";'],
  ["an import under another name", "src/x/b.ts", 'import { a as b } from "./a.ts";'],
  ["an import of several lines", "src/b.ts", 'import {\n  type T,\n  a,\n} from "./x/a.ts";'],
  ["an import of all names", "src/x/b.ts", 'import * as all from "./a.ts";'],
  ["a dynamic import", "src/x/b.ts", 'const all = await import("./a.ts");'],
  ["an entry", "entries/client.ts", 'export { a } from "../src/x/a.ts";'],
  ["a benchmark", "bench/run.ts", 'import { a } from "../src/x/a.ts";'],
];
test.each(users)("unusedExports: %s is a use", (_, path, source) => {
  expect(problems({ "src/x/a.ts": used, [path]: source })).toEqual([]);
});

const nobody = "src/a.ts:1: a is exported, and used by nobody";
const others: readonly [what: string, path: string, source: string][] = [
  ["another name", "src/b.ts", 'import { b } from "./a.ts";'],
  ["the same name of another file", "src/b.ts", 'import { a } from "./c.ts";'],
  ["a comment", "src/b.ts", '// import { a } from "./a.ts";'],
  ["a package", "src/b.ts", 'import { a } from "a.ts";'],
];
test.each(others)("unusedExports: %s is no use", (_, path, source) => {
  expect(problems({ "src/a.ts": used, [path]: source })).toEqual([nobody]);
});

test("unusedExports: what only its own file uses need not be exported", () => {
  expect(problems({ "src/a.ts": "export function a() {}\na();\n" })).toEqual([
    "src/a.ts:1: a is exported, and used in this file alone",
  ]);
});

const theTest = { "src/a.test.ts": 'import { a } from "./a.ts";' };
test("unusedExports: a test may import what the file itself uses, and nothing else", () => {
  expect(problems({ "src/a.ts": "export const a = 1;\nconst b = a;\n", ...theTest })).toEqual([]);
  expect(problems({ "src/a.ts": used, ...theTest })).toEqual([
    "src/a.ts:1: a is exported, and used by tests alone",
  ]);
});

test("unusedExports: types may be exported so that callers can name them", () => {
  const source = "export interface O {}\nexport type P = O;\nexport function f(o: P): void {}\n";
  const user = { "src/b.ts": 'import { f } from "./a.ts";' };
  expect(problems({ "src/a.ts": source, ...user })).toEqual([]);
  expect(problems({ "src/a.ts": `${source}export type Q = string;\n`, ...user })).toEqual([
    "src/a.ts:4: Q is exported, and used by nobody",
  ]);
});

test("unusedExports: an export may wait for its first use, with a reason", () => {
  const reason = (text: string) => `/** Does something.\n * ${text}\n */\n${used}`;
  expect(problems({ "src/a.ts": reason("Unused so far: kubectl needs it.") })).toEqual([]);
  expect(problems({ "src/a.ts": reason("Unused so far:") })).toHaveLength(1);
});

test("unusedExports: what tests share is not looked at", () => {
  expect(problems({ "src/a.test-support.ts": used, "src/b-suite.ts": used })).toEqual([]);
});
