// @ts-check
import { posix } from "node:path";
import { codeOnly } from "../build/code-only.mjs";

/** @typedef {import("./layers.mjs").Layer} Layer */

/**
 * What a file does that the layer table does not allow, one line each.
 * @param {{ path: string, source: string }} file its path below src/, with slashes
 * @param {Readonly<Record<string, Layer>>} layers
 */
export function layerProblems(file, layers) {
  const name = layerOf(file.path, layers);
  const layer = name === undefined ? undefined : layers[name];
  if (name === undefined || layer === undefined) {
    return [`src/${file.path}: its folder is not in scripts/check/layers.mjs`];
  }
  const code = codeOnly(file.source);
  const test = isTest(file.path);
  const found = importsOf(code, file.source).flatMap(({ specifier, at }) => {
    const problem = specifier.startsWith(".")
      ? relativeImport(specifier, { path: file.path, name, layer, layers, test })
      : packageImport(specifier, { name, layer, test });
    return problem === undefined ? [] : [{ at, problem }];
  });
  if (layer.pure && !test) found.push(...impurities(code, name));
  return found.map(({ at, problem }) => `src/${file.path}:${lineOf(code, at)}: ${problem}`);
}

/**
 * @param {string} specifier
 * @param {{ path: string, name: string, layer: Layer, layers: Readonly<Record<string, Layer>>, test: boolean }} from
 */
function relativeImport(specifier, { path, name, layer, layers, test }) {
  const target = posix.join(posix.dirname(path), specifier);
  if (target.startsWith("../")) {
    return test && target.startsWith("../test/")
      ? undefined
      : `imports ${specifier} from outside src`;
  }
  const to = layerOf(target, layers);
  if (to === undefined)
    return `imports ${specifier}, whose folder is not in scripts/check/layers.mjs`;
  if (isTest(target) && !test) return `imports the test ${specifier}`;
  const allowed =
    to === name ||
    name.startsWith(`${to}/`) ||
    layer.uses.includes(to) ||
    (layer.uses.includes("*") && to !== "testing") ||
    (test && to === "testing");
  return allowed ? undefined : `${name} may not import ${to} (${specifier})`;
}

/** What tests run with, clients that they show to work, and test vectors. */
const testPackages = new Set(["vitest", "@kubernetes/client-node", "ws", "@bufbuild/cel-spec"]);

/**
 * @param {string} specifier
 * @param {{ name: string, layer: Layer, test: boolean }} from
 */
function packageImport(specifier, { name, layer, test }) {
  if (specifier.startsWith("node:")) {
    return layer.pure && !test ? `${name} is pure and may not import ${specifier}` : undefined;
  }
  const [scope = "", ...rest] = specifier.split("/");
  const packageName = scope.startsWith("@") ? `${scope}/${rest[0]}` : scope;
  if (test && testPackages.has(packageName)) return undefined;
  const allowed = layer.packages?.includes(packageName);
  return allowed ? undefined : `${name} may not import the package ${packageName}`;
}

/** What pure code is not given as a parameter and therefore may not touch. */
const impure = [
  /(?<![.\w$#])(?:Buffer|process|fetch|performance|crypto|globalThis|require)(?![\w$])/g,
  /(?<![.\w$#])(?:set|clear)(?:Timeout|Interval|Immediate)(?![\w$])/g,
  /(?<![.\w$#])Date\s*\.\s*now(?![\w$])/g,
  /(?<![.\w$#])new\s+Date(?:\s*\(\s*\)|(?!\s*\(|[\w$]))/g,
  /(?<![.\w$#]|new\s)Date\s*\(/g,
  /(?<![.\w$#])AbortSignal\s*\.\s*timeout(?![\w$])/g,
  /(?<![.\w$#])Math\s*\.\s*random(?![\w$])/g,
  /(?<![.\w$#])import\s*\(/g,
];

/** A name that only labels a member: `{ process: … }`, `readonly fetch?: …`. */
const labelBefore = /(?:[{,;(]|\breadonly)\s*$/;
const labelAfter = /^\s*\??\s*:/;

/**
 * @param {string} code
 * @param {string} name
 */
function impurities(code, name) {
  const found = [];
  for (const pattern of impure) {
    for (const { 0: word, index } of code.matchAll(pattern)) {
      const before = code.slice(Math.max(0, index - 100), index);
      const after = code.slice(index + word.length, index + word.length + 100);
      if (labelAfter.test(after) && labelBefore.test(before)) continue;
      // As a type, `import("…")` is erased.
      if (word.startsWith("import") && /typeof\s*$/.test(before)) continue;
      const use = word.replaceAll(/\s+/g, " ");
      found.push({ at: index, problem: `${name} is pure and may not use ${use}` });
    }
  }
  return found;
}

/**
 * @param {string} code
 * @param {string} source
 */
function importsOf(code, source) {
  const pattern = /(?<![.\w$])(?:from|import)\s*\(?\s*(["'])( *)\1/g;
  return [...code.matchAll(pattern)].map(({ 0: whole, 2: blank = "", index }) => {
    const end = index + whole.length - 1;
    return { specifier: source.slice(end - blank.length, end), at: index };
  });
}

/**
 * The finest entry of the table that a path lies in.
 * @param {string} path
 * @param {Readonly<Record<string, Layer>>} layers
 */
function layerOf(path, layers) {
  for (let folder = posix.dirname(path); folder !== "."; folder = posix.dirname(folder)) {
    if (Object.hasOwn(layers, folder)) return folder;
  }
  return undefined;
}

/**
 * Suites and support files are what several test files share.
 * @param {string} path
 */
function isTest(path) {
  return /(?:\.test|\.test-support|-suite)\.ts$/.test(path);
}

/**
 * @param {string} code
 * @param {number} at
 */
function lineOf(code, at) {
  return code.slice(0, at).split("\n").length;
}
