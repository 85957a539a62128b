// @ts-check
// npm leaves optional packages of other platforms out of package-lock.json when it could not fetch
// them, and `npm ci` then refuses the lock. This adds them: the version is the one that their parent
// pins, the platform is in their name. Run it after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project.mjs";

/** @typedef {{ version?: string, dev?: boolean, optional?: boolean, optionalDependencies?: Record<string, string>, [field: string]: unknown }} Entry */

const file = join(projectRoot, "package-lock.json");
/** @type {{ packages: Record<string, Entry> }} */
const lock = JSON.parse(readFileSync(file, "utf8"));

const added = Object.entries(lock.packages).flatMap(([parent, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(parent, name))
    .map(
      ([name, version]) =>
        /** @type {const} */ ([`node_modules/${name}`, forPlatform(name, version, entry)]),
    ),
);
if (added.length > 0) {
  const packages = [...Object.entries(lock.packages), ...added].sort(([a], [b]) =>
    a.localeCompare(b, "en"),
  );
  writeFileSync(
    file,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`,
  );
}
console.log(`${added.length} optional packages added to package-lock.json`);

/**
 * @param {string} parent
 * @param {string} name
 */
function isLocked(parent, name) {
  return [`node_modules/${name}`, `${parent}/node_modules/${name}`].some(
    (path) => path in lock.packages,
  );
}

/**
 * @param {string} name
 * @param {string} version
 * @param {Entry} parent
 * @returns {Entry}
 */
function forPlatform(name, version, parent) {
  const platform =
    /-(wasm32)-wasi$|-(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(\w+))?$/.exec(
      name,
    );
  if (platform === null || !/^\d+\.\d+\.\d+/.test(version)) {
    throw new Error(`cannot tell the platform or the version of ${name}@${version}`);
  }
  const [, wasm, os, cpu = wasm, abi] = platform;
  const libc = { musl: "musl", gnu: "glibc" }[abi ?? ""];
  return {
    version,
    ...(cpu && { cpu: [cpu] }),
    ...(parent.dev && { dev: true }),
    ...(libc && { libc: [libc] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
