// @ts-check
// npm run bench NAME [ARGUMENT…] runs bench/NAME/NAME.ts; without a name it lists them.
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const [name, ...args] = process.argv.slice(2);
const file = join(import.meta.dirname, `${name}`, `${name}.ts`);
if (name === undefined || basename(name) !== name || !existsSync(file)) {
  const names = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `  ${entry.name}`);
  if (name !== undefined) console.error(`there is no benchmark named ${name}`);
  console.log(["npm run bench NAME, where NAME is one of", ...names].join("\n"));
  process.exitCode = name === undefined ? 0 : 2;
} else {
  process.argv = [process.argv[0] ?? "node", "run.mjs", file, ...args];
  await import("../scripts/build/run.mjs");
}
