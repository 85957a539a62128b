// Writes api.js and api.d.ts into a folder: node scripts/run.mjs scripts/publish-types.ts FOLDER
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { kinds } from "../src/api/kinds.generated.ts";
import { apiNames, renderApiTypes } from "./api-types.ts";

const [folder = "dist"] = process.argv.slice(2);
const outdir = resolve(folder);
const sources = join(dirname(outdir), "src", "api");

writeFileSync(join(outdir, "api.d.ts"), renderApiTypes(kinds));
await build({
  stdin: { contents: exportsOf(join(sources, "kinds.generated.ts")), resolveDir: sources },
  outfile: join(outdir, "api.js"),
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  minifySyntax: true,
  logLevel: "warning",
});

/** The kinds, each from its file and under its public name. */
function exportsOf(list: string): string {
  const source = readFileSync(list, "utf8");
  const files = new Map<string, string>();
  for (const [, names = "", path = ""] of source.matchAll(/import \{([^}]+)\} from "([^"]+)"/g))
    for (const one of names.split(",").map((name) => name.trim())) {
      const [exported = "", local = exported] = one.split(" as ");
      if (exported !== "") files.set(local, `{ ${exported} as NAME } from "${path}"`);
    }
  const inOrder = /= \[\n([^\]]+)\]/.exec(source)?.[1]?.match(/\w+/g) ?? [];
  const names = apiNames(kinds);
  const lines = kinds.map(({ struct }, index) => {
    const from = files.get(inOrder[index] ?? "");
    if (from === undefined) throw new Error(`${struct.name} is not in ${list}`);
    return `export ${from.replace("NAME", names.get(struct.name) ?? struct.shortName)};`;
  });
  return lines.join("\n");
}
