// @ts-check
import { posix } from "node:path";

/** The most product files that a folder may have side by side before it gets rooms. */
export const maxProductFiles = 30;
/** The most lines of a folder's README. */
export const maxReadmeLines = 40;

/**
 * What is wrong with the folders of src/, one line each: too many product files side by side, a layer
 * without a README, a README that is too long, a room that no README above it names. The groups and
 * versions below src/api are named by the API, so its README need not list them.
 * @param {readonly string[]} paths of all files, from the project's root, with slashes
 * @param {(path: string) => string} read
 */
export function roomProblems(paths, read) {
  const inSource = paths.filter((path) => path.startsWith("src/"));
  const readmes = new Map(
    inSource.filter((path) => path.endsWith("/README.md")).map((path) => [path, read(path)]),
  );
  const folders = new Set(inSource.flatMap((path) => foldersAbove(path)));
  /** @type {string[]} */
  const problems = [];
  for (const folder of [...folders].sort()) {
    const count = inSource.filter((path) => isProductFileIn(path, folder)).length;
    if (count > maxProductFiles)
      problems.push(
        `${folder}: has ${count} product files side by side, ${maxProductFiles} at most`,
      );
    const readme = nearestReadme(folder, readmes);
    if (readme === undefined) problems.push(`${folder}: its layer has no README.md`);
    else if (!isApiVersion(folder) && posix.dirname(readme) !== folder)
      if (!names(readmes.get(readme) ?? "", posix.basename(folder)))
        problems.push(`${folder}: ${readme} does not name it`);
  }
  for (const [path, text] of readmes) {
    const lines = text.trimEnd().split("\n").length;
    if (lines > maxReadmeLines)
      problems.push(`${path}: has ${lines} lines, ${maxReadmeLines} at most`);
  }
  return problems;
}

/**
 * The folders that a file lies in, but for src/ itself.
 * @param {string} path
 * @returns {string[]}
 */
function foldersAbove(path) {
  const folder = posix.dirname(path);
  return folder === "src" ? [] : [folder, ...foldersAbove(folder)];
}

/**
 * @param {string} path
 * @param {string} folder
 */
function isProductFileIn(path, folder) {
  return (
    posix.dirname(path) === folder &&
    path.endsWith(".ts") &&
    !/(?:\.test|\.test-support|\.generated|-suite)\.ts$/.test(path)
  );
}

/**
 * @param {string} folder
 * @param {ReadonlyMap<string, string>} readmes
 * @returns {string | undefined}
 */
function nearestReadme(folder, readmes) {
  if (folder === "src") return undefined;
  const own = `${folder}/README.md`;
  return readmes.has(own) ? own : nearestReadme(posix.dirname(folder), readmes);
}

/** @param {string} folder */
function isApiVersion(folder) {
  return /^src\/api\/[a-z]+(?:\/v\d+(?:(?:alpha|beta)\d+)?)?$/.test(folder);
}

/**
 * @param {string} text
 * @param {string} name
 */
function names(text, name) {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text);
}
