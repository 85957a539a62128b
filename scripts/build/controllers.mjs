// @ts-check
// Writes src/controllers/controller-modules.generated.ts, the list of all controllers: a controller is one
// folder with one declaration, `export const NAME = controllerModule(…)`, and is added to no list.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project.mjs";

const folder = join(projectRoot, "src", "controllers");
const list = join(folder, "controller-modules.generated.ts");

const declared = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith("-module.ts"))
  .sort()
  .flatMap((path) => {
    const source = readFileSync(join(folder, path), "utf8");
    const found = source.matchAll(
      /^export const (\w+) = controllerModule\(\{\n {2}name: "([^"]+)"/gm,
    );
    return [...found].map(({ 1: variable = "", 2: name = "" }) => ({ path, variable, name }));
  });

const imports = [
  { path: "controller-module.ts", what: "type { ControllerModule }" },
  ...declared.map(({ path, variable }) => ({ path, what: `{ ${variable} }` })),
];

const text = [
  ...imports
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, what }) => `import ${what} from "./${path}";`),
  "",
  "/** Every controller that is declared, by name. */",
  "export const controllerModules: readonly ControllerModule[] = [",
  ...[...declared]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ variable }) => `  ${variable},`),
  "];",
  "",
].join("\n");

if (!existsSync(list) || readFileSync(list, "utf8") !== text) {
  // In one step: another process may be reading it.
  const draft = `${list}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, list);
}
