import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { projectRoot } from "../project.ts";

/** Bundles the program of an example into one file, with this project's sources as the package. */
export async function bundleExample(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "wherry-example-"));
  try {
    const outfile = join(folder, "main.mjs");
    await build({
      entryPoints: [join(projectRoot, "examples", name, "main.ts")],
      ...{ outfile, bundle: true, platform: "node", target: "node20", format: "esm" },
      logLevel: "warning",
      plugins: [ownPackage],
      // CommonJS packages require modules of Node.
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    });
    return readFileSync(outfile, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Finds `wherry/…` as users do, but in the sources. */
const ownPackage: Plugin = {
  name: "own-package",
  setup(builder) {
    builder.onResolve({ filter: /^wherry\/api$/ }, () => ({ path: "api", namespace: "wherry" }));
    builder.onLoad({ filter: /.*/, namespace: "wherry" }, () => ({
      contents: kinds.map((path) => `export * from "./${path}.ts";`).join("\n"),
      resolveDir: join(projectRoot, "src", "api"),
    }));
    builder.onResolve({ filter: /^wherry\/[a-z]+$/ }, ({ path }) => ({
      path: join(projectRoot, "entries", `${path.slice("wherry/".length)}.ts`),
    }));
  },
};

/** What examples use of `wherry/api`. */
const kinds = [
  ...["core/v1/secret", "core/v1/service/service", "discovery/v1/endpoint-slice"],
  ...["networking/v1/ingress", "networking/v1/ingress-class"],
];
