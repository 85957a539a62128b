import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { packagesFolder } from "./program-paths.ts";

each<[name: string, program: string, folder: string]>([
  ["installed", "/app/node_modules/wherry/dist/wherry.js", "/app/node_modules"],
  [
    "installed in another package",
    "/app/node_modules/a/node_modules/wherry/x.js",
    "/app/node_modules",
  ],
  ["a clone", "/src/wherry/dist/wherry.js", "/src/wherry"],
  ["a single file", "/opt/wherry/wherry.js", "/opt/wherry"],
])("packagesFolder: %s", (_, program, folder) => {
  expect(packagesFolder(program, (path) => path === "/src/wherry/package.json")).toBe(folder);
});
