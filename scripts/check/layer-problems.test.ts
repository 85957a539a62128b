// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates are code under test
import { expect, test } from "vitest";
import { layerProblems } from "./layer-problems.mjs";

const layers = {
  base: { uses: [], pure: true },
  platform: { uses: ["base"] },
  store: { uses: ["base"], pure: true, packages: ["js-yaml", "@scope/pure"] },
  "store/lmdb": { uses: ["base", "platform"], packages: ["lmdb"] },
  server: { uses: ["store"], pure: true },
  cluster: { uses: ["*"] },
  testing: { uses: ["*"] },
} as const;

function problems(path: string, source: string): string[] {
  return layerProblems({ path, source }, layers).map((line) => line.replace(/^src\/[^ ]* /, ""));
}

test.each([
  ["base/a.ts", 'import { b } from "./b.ts";', []],
  ["store/a.ts", 'import { b } from "../base/b.ts";', []],
  [
    "store/a.ts",
    'import type { B } from "../platform/b.ts";',
    ["store may not import platform (../platform/b.ts)"],
  ],
  [
    "store/a.ts",
    'export * from "../platform/b.ts";',
    ["store may not import platform (../platform/b.ts)"],
  ],
  [
    "store/a.ts",
    'import "../platform/b.ts";',
    ["store may not import platform (../platform/b.ts)"],
  ],
  [
    "store/a.ts",
    'import {\n  a,\n  b,\n} from "./lmdb/b.ts";',
    ["store may not import store/lmdb (./lmdb/b.ts)"],
  ],
  ["store/lmdb/a.ts", 'import { b } from "../store.ts";', []],
  ["store/lmdb/deep/a.ts", 'import { b } from "../../../platform/b.ts";', []],
  ["server/a.ts", 'import { b } from "../store/b.ts";', []],
  [
    "server/a.ts",
    'import { b } from "../store/lmdb/b.ts";',
    ["server may not import store/lmdb (../store/lmdb/b.ts)"],
  ],
  ["cluster/a.ts", 'import { b } from "../store/lmdb/b.ts";', []],
  [
    "cluster/a.ts",
    'import { b } from "../testing/b.ts";',
    ["cluster may not import testing (../testing/b.ts)"],
  ],
  ["testing/a.ts", 'import { b } from "../cluster/b.ts";', []],
  ["other/a.ts", "", ["its folder is not in scripts/check/layers.mjs"]],
  [
    "cluster/a.ts",
    'import { b } from "../other/b.ts";',
    ["imports ../other/b.ts, whose folder is not in scripts/check/layers.mjs"],
  ],
  [
    "cluster/a.ts",
    'import json from "../../package.json";',
    ["imports ../../package.json from outside src"],
  ],
  ["base/a.ts", 'import { b } from "./b.test.ts";', ["imports the test ./b.test.ts"]],
])("layerProblems: imports between folders: %s %s", (path, source, expected) => {
  expect(problems(path, source)).toEqual(expected);
});

test.each([
  ["base/a.ts", 'import fs from "node:fs";', ["base is pure and may not import node:fs"]],
  ["platform/a.ts", 'import fs from "node:fs";', []],
  ["store/a.ts", 'import { load } from "js-yaml/sub";', []],
  ["store/a.ts", 'import { x } from "@scope/pure/sub";', []],
  [
    "store/a.ts",
    'import { x } from "@scope/other";',
    ["store may not import the package @scope/other"],
  ],
  ["platform/a.ts", 'import { open } from "lmdb";', ["platform may not import the package lmdb"]],
  ["base/a.ts", 'import { test } from "vitest";', ["base may not import the package vitest"]],
  ["base/a.ts", '// from "lmdb"\nconst s = `import "lmdb"`;', []],
])("layerProblems: packages: %s %s", (path, source, expected) => {
  expect(problems(path, source)).toEqual(expected);
});

test.each([
  ["base/a.test.ts", 'import { test } from "vitest";\nimport fs from "node:fs";\nsetTimeout(f);'],
  ["base/a-suite.ts", 'import { test } from "vitest";\nDate.now();'],
  ["base/a.test.ts", 'import { cluster } from "../testing/cluster.ts";'],
  ["base/a.test.ts", 'import { requires } from "../../test/requires.ts";'],
])("layerProblems: a test may do more: %s %s", (path, source) => {
  expect(problems(path, source)).toEqual([]);
});

test("layerProblems: a test keeps to the layers of its folder", () => {
  expect(problems("base/a.test.ts", 'import { b } from "../store/b.ts";')).toEqual([
    "base may not import store (../store/b.ts)",
  ]);
});

test.each([
  ["Buffer.from(x)", "Buffer"],
  ["const id = process.pid;", "process"],
  ["a ? process : b", "process"],
  ["await fetch(url)", "fetch"],
  ["setTimeout(f, 1)", "setTimeout"],
  ["clearInterval(t)", "clearInterval"],
  ["const now = Date.now;", "Date.now"],
  ["new Date()", "new Date()"],
  ["new Date", "new Date"],
  ["const s = Date();", "Date("],
  ["AbortSignal.timeout(5)", "AbortSignal.timeout"],
  ["Math.random()", "Math.random"],
  ["crypto.subtle", "crypto"],
  ["globalThis.x", "globalThis"],
  ["await import(name)", "import("],
  ["`a ${b + `${Date.now()}`} c`", "Date.now"],
  ['"a" + process.pid + "b"', "process"],
  ["x = a / b; process.exit(); y = c / d;", "process"],
])("layerProblems: pure code may not say %s", (source, use) => {
  expect(problems("base/a.ts", source)).toEqual([`base is pure and may not use ${use}`]);
});

test.each([
  "new Date(0)",
  "const x = { process: 1, crypto: 2 };",
  "interface A { readonly fetch?: F; performance: number }",
  "options.crypto.sign(queue.process)",
  "preprocess(BufferLike, updateTime)",
  "\"Date.now()\" + 'process' + `fetch ${a} crypto`",
  "/* Date.now() */ a(); // process",
  "/[/'\"]process/.test(a)",
  "const { length } = `${a}`; const b = `}`;",
])("layerProblems: pure code may say %s", (source) => {
  expect(problems("base/a.ts", source)).toEqual([]);
});

test("layerProblems: says in which line", () => {
  const source = "/*\n\n*/\n`\n`;\nfetch(a);";
  expect(layerProblems({ path: "base/a.ts", source }, layers)).toEqual([
    "src/base/a.ts:6: base is pure and may not use fetch",
  ]);
});
