// @ts-check
import { posix } from "node:path";
import { codeOnly } from "../build/code-only.mjs";

/**
 * A file of the project: its path from the project's root, with slashes, and its text.
 * @typedef {{ path: string, source: string }} SourceFile
 */

/**
 * The exports of product files below src/ that should not be there, one line each. Types are only
 * reported where nothing mentions them: callers may want to name what a function takes. What a test
 * imports must be used by the product, too, if only in its own file. An export that waits for its
 * first use says so in the comment before it: `Unused so far: REASON`.
 * @param {readonly SourceFile[]} files
 */
export function unusedExports(files) {
  const read = files.map((file) => ({ ...file, code: codeOnly(file.source) }));
  const usedByProduct = importedNames(read.filter(({ path }) => !isTest(path)));
  const usedByTests = importedNames(read.filter(({ path }) => isTest(path)));
  return read
    .filter(({ path }) => path.startsWith("src/") && !isTest(path))
    .flatMap((file) =>
      exportsOf(file).flatMap(({ name, line, isType }) => {
        if (isIn(usedByProduct, file.path, name)) return [];
        const isUsedHere = isMentioned(name, file.code);
        const isTested = isIn(usedByTests, file.path, name);
        if (isUsedHere && (isType || isTested)) return [];
        const place = `${file.path}:${line}`;
        if (isUsedHere) return [`${place}: ${name} is exported, and used in this file alone`];
        return [
          `${place}: ${name} is exported, and used by ${isTested ? "tests alone" : "nobody"}`,
        ];
      }),
    );
}

/**
 * The names that files import, by the path of the file that exports them.
 * @param {readonly ReadFile[]} files
 */
function importedNames(files) {
  /** @type {Map<string, Set<string>>} */
  const imported = new Map();
  for (const file of files)
    for (const { target, names } of importsOf(file)) {
      const known = imported.get(target) ?? new Set();
      for (const name of names) known.add(name);
      imported.set(target, known);
    }
  return imported;
}

/**
 * @param {ReadonlyMap<string, ReadonlySet<string>>} imported
 * @param {string} path
 * @param {string} name
 */
function isIn(imported, path, name) {
  const names = imported.get(path);
  return names !== undefined && (names.has(name) || names.has("*"));
}

/** @typedef {SourceFile & { code: string }} ReadFile */

/**
 * What a file imports, or exports again, from files of the project; "*" stands for everything.
 * @param {ReadFile} file
 */
function importsOf({ path, source, code }) {
  /** @type {{ target: string, names: string[] }[]} */
  const found = [];
  const add = (/** @type {string} */ specifier, /** @type {string[]} */ names) => {
    if (specifier.startsWith("."))
      found.push({ target: posix.join(posix.dirname(path), specifier), names });
  };
  for (const match of code.matchAll(importStatement)) {
    const { 0: whole, 1: clause = "", index } = match;
    const end = index + whole.length - 1;
    const specifier = source.slice(source.lastIndexOf(whole.at(-1) ?? "", end - 1) + 1, end);
    add(specifier, clause.startsWith("{") ? namesIn(clause, 0) : ["*"]);
  }
  for (const { 0: whole, index } of code.matchAll(dynamicImport)) {
    const end = index + whole.length - 1;
    add(source.slice(source.lastIndexOf(whole.at(-1) ?? "", end - 1) + 1, end), ["*"]);
  }
  return found;
}

const importStatement =
  /(?<![.\w$])(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?|[\w$]+)\s*from\s*(["']) *\2/g;
const dynamicImport = /(?<![.\w$])import\s*\(\s*(["']) *\1/g;

/**
 * The names in braces: of `a as b`, the one at this place.
 * @param {string} clause
 * @param {0 | 1} place
 */
function namesIn(clause, place) {
  return clause
    .slice(1, -1)
    .split(",")
    .map((part) => part.trim().replace(/^type\s+/, ""))
    .filter((part) => part !== "")
    .map((part) => part.split(/\s+as\s+/))
    .map((names) => names[place] ?? names[0] ?? "");
}

/**
 * @param {ReadFile} file
 */
function exportsOf({ source, code }) {
  /** @type {{ name: string, line: number, isType: boolean }[]} */
  const found = [];
  const add = (/** @type {string} */ name, /** @type {number} */ at, isType = false) => {
    const line = code.slice(0, at).split("\n").length;
    if (!waitsForUse(source, at) && !found.some((other) => other.name === name))
      found.push({ name, line, isType });
  };
  const declared = [...code.matchAll(declaration)].map(({ 1: keyword, 2: name = "", index }) => ({
    name,
    index,
    isType: keyword === "interface" || keyword === "type",
  }));
  const types = new Set(declared.filter(({ isType }) => isType).map(({ name }) => name));
  for (const { name, index } of declared) add(name, index, types.has(name));
  for (const { 1: clause = "", index } of code.matchAll(exportList))
    for (const name of namesIn(clause, 1)) add(name, index);
  return found;
}

const declaration =
  /(?<=^|\n)export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const|let|function\s*\*?|class|interface|type)\s+([\w$]+)/g;
const exportList = /(?<=^|\n)export\s+(?:type\s+)?(\{[^}]*\})/g;

/**
 * Whether a file mentions a name beside where it declares it.
 * @param {string} name
 * @param {string} code
 */
function isMentioned(name, code) {
  return code.split(new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`)).length > 2;
}

/**
 * Whether the comment right before an export says why nothing uses it yet.
 * @param {string} source
 * @param {number} at
 */
function waitsForUse(source, at) {
  const before = source.slice(0, at).trimEnd();
  if (!before.endsWith("*/")) return false;
  return /\bUnused so far: \S/.test(before.slice(before.lastIndexOf("/*")));
}

/**
 * @param {string} path
 */
function isTest(path) {
  return /(?:\.test|\.test-support|-suite|\.config)\.ts$/.test(path) || path.startsWith("test/");
}
