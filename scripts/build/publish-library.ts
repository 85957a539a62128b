// Writes what users import into a folder: node scripts/build/run.mjs scripts/build/publish-library.ts FOLDER
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { kinds } from "../../src/api/kinds.generated.ts";
import { apiNames, renderApiTypes } from "./api-types.ts";
import { publishTypes } from "./library-types.ts";
import { steadyShapesPlugin } from "./steady-shapes.mjs";

const [folder = "dist"] = process.argv.slice(2);
const outdir = resolve(folder);
const root = resolve(outdir, "..");
const names = readdirSync(join(root, "entries"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length));

const common: BuildOptions = {
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  charset: "ascii",
  logLevel: "warning",
};
const apiModule = {
  name: "api",
  setup(builder: import("esbuild").PluginBuild) {
    builder.onResolve({ filter: /^wherry-entry:/ }, ({ path }) => ({ path, namespace: "entry" }));
    builder.onLoad({ filter: /.*/, namespace: "entry" }, () => ({
      contents: exportsOf(join(root, "src", "api", "kinds.generated.ts")),
      resolveDir: join(root, "src", "api"),
      loader: "ts" as const,
    }));
  },
};

await build({
  ...common,
  plugins: [apiModule, steadyShapesPlugin],
  entryPoints: [
    { in: "wherry-entry:api", out: "api" },
    ...names.map((name) => ({ in: join(root, "entries", `${name}.ts`), out: name })),
  ],
  outdir,
  chunkNames: "chunks/[name]-[hash]",
  splitting: true,
  format: "esm",
});

// For loaders that know nothing but `require`, such as Jest's: everything in one file.
await build({
  ...common,
  plugins: [apiModule, steadyShapesPlugin],
  stdin: {
    contents: [
      'export * as api from "wherry-entry:api";',
      ...names.map((name) => `export * as ${name} from "./entries/${name}.ts";`),
    ].join("\n"),
    resolveDir: root,
  },
  outfile: join(outdir, "cjs", "all.cjs"),
  format: "cjs",
});
for (const name of ["api", ...names])
  writeFileSync(
    join(outdir, "cjs", `${name}.cjs`),
    `module.exports = require("./all.cjs").${name};\n`,
  );

writeFileSync(join(outdir, "api.d.ts"), renderApiTypes(kinds));
publishTypes({ root, outdir, names, published: apiNames(kinds) });

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
