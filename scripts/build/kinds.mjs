// @ts-check
// Writes src/api/kinds.generated.ts, the list of all kinds: a kind is one file, and is added to no list.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project.mjs";

const folder = join(projectRoot, "src", "api");
const list = join(folder, "kinds.generated.ts");

/** Its kinds are upstream's metrics-server's: only a whole cluster serves them, which names them itself. */
const ownGroup = "metrics";

/** @typedef {{ name: string, path: string, group: string, version: string, alias?: string }} Declared */

const declared = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !/\.(?:test|test-support|generated)\.ts$/.test(path))
  .flatMap(declaredIn)
  .filter(({ group }) => group !== ownGroup)
  .sort((a, b) => compare(keyOf(a), keyOf(b)));

const text = render(declared);
if (!existsSync(list) || readFileSync(list, "utf8") !== text) {
  // In one step: another process may be reading it.
  const draft = `${list}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, list);
}

/**
 * @param {string} path
 * @returns {Declared[]}
 */
function declaredIn(path) {
  const source = readFileSync(join(folder, path), "utf8");
  const [group = "", version = ""] = path.split("/");
  return [...source.matchAll(/^export const (\w+)(?:: [^=]+)? = kind\(/gm)].map(
    ({ 1: name = "" }) => ({ name, path, group: group === "core" ? "" : group, version }),
  );
}

/** @param {readonly Declared[]} kinds */
function render(kinds) {
  const named = kinds.map((kind) => {
    const unique = kinds.filter(({ name }) => name === kind.name).length === 1;
    return unique ? kind : { ...kind, alias: aliasOf(kind) };
  });
  /** @type {Map<string, Declared[]>} */
  const files = new Map();
  for (const kind of named) files.set(kind.path, [...(files.get(kind.path) ?? []), kind]);
  const imports = [...files]
    .sort(([a], [b]) => compare(sortKey(a), sortKey(b)))
    .map(([path, inFile]) => importOf(path, inFile));
  return [
    'import type { Kind } from "../schema/language/kind.ts";',
    ...imports,
    "",
    "/** Every kind that is declared, by group, version and name. */",
    // As a tuple: of a list, tsc would compare the type of every kind with that of every other.
    "export const kinds: readonly [Kind, ...Kind[]] = [",
    ...named.map(({ name, alias = name }) => `  ${alias},`),
    "];",
    "",
  ].join("\n");
}

/**
 * @param {string} path
 * @param {readonly Declared[]} inFile
 */
function importOf(path, inFile) {
  const names = inFile.map(({ name, alias }) =>
    alias === undefined ? name : `${name} as ${alias}`,
  );
  const line = `import { ${names.join(", ")} } from "./${path}";`;
  if (names.length === 1 || line.length <= 100) return line;
  return `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "./${path}";`;
}

/**
 * `EventsV1Event`
 * @param {Declared} kind
 */
function aliasOf({ group, version, name }) {
  const words = [group === "" ? "core" : group, version];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("") + name;
}

/** @param {Declared} kind */
function keyOf({ group, version, name }) {
  return `${group}/${version}/${name}`;
}

/**
 * Paths in the linter's order of imports: what is in a folder comes before files whose names go on.
 * @param {string} path
 */
function sortKey(path) {
  return path.slice(0, -".ts".length).replaceAll("/", "\0");
}

/**
 * @param {string} a
 * @param {string} b
 */
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
