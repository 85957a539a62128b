// @ts-check
// Everything that must hold before a change goes in: lint, types, layers, exports and tests, side by side.
// The tests' output comes last, and its last lines count them.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import "../build/controllers.mjs";
import "../build/kinds.mjs";
import { projectRoot } from "../project.mjs";

const bin = (/** @type {string} */ name) => join(projectRoot, "node_modules", ".bin", name);

// The checks write to a pipe and cannot see whether a person will read it.
const env = {
  ...process.env,
  ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }),
};
const colors = `--colors=${process.stdout.isTTY ? "force" : "off"}`;

spawnSync(join(projectRoot, "scripts", "check", "debian-packages.sh"), { stdio: "inherit" });

const tests = start("tests", bin("vitest"), ["run", ...process.argv.slice(2)]);
const checks = [
  start("lint", bin("biome"), ["ci", "--error-on-warnings", colors]),
  start("types", process.execPath, [join(projectRoot, "scripts", "check", "types.mjs")]),
  start("layers", process.execPath, [join(projectRoot, "scripts", "check", "check-layers.mjs")]),
  start("exports", process.execPath, [join(projectRoot, "scripts", "check", "check-exports.mjs")]),
  start("rooms", process.execPath, [join(projectRoot, "scripts", "check", "check-rooms.mjs")]),
];

let failed = false;
for (const check of checks) {
  const { code, output, seconds } = await check;
  if (code === 0) console.log(`${check.name}: ok (${seconds} s)`);
  else console.log(`${output.trimEnd()}\n${check.name}: FAILED`);
  failed ||= code !== 0;
}
const { code, output } = await tests;
if (failed) console.log("\nlint, types, layers, exports or rooms FAILED, see above");
process.stdout.write(output);
process.exitCode = failed || code !== 0 ? 1 : 0;

/**
 * @param {string} name
 * @param {string} command
 * @param {readonly string[]} args
 */
function start(name, command, args) {
  const begin = performance.now();
  const child = spawn(command, args, { cwd: projectRoot, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  /** @type {Promise<{ code: number, output: string, seconds: string }>} */
  const result = new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 1, output: `${error.message}\n`, seconds: "0" }));
    child.on("close", (code) =>
      resolve({
        code: code ?? 1,
        output,
        seconds: ((performance.now() - begin) / 1000).toFixed(1),
      }),
    );
  });
  return Object.assign(result, { name });
}
