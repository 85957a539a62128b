// Runs tests of src/ against a package that was packed and unpacked: WHERRY_PACKED is its folder. Whatever
// the package exports comes from it; only what it does not export comes from the sources.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { timeLimits } from "./long-enough.ts";

const root = join(import.meta.dirname, "..");
const packed = process.env.WHERRY_PACKED ?? "";

export default defineConfig({
  root,
  plugins: [await published()],
  test: {
    include: ["src/{client,controller-runtime,kubeconfig,testing}/**/*.test.ts"],
    // The package does not export what these test, and the sources do not recognize errors of the package.
    exclude: [
      "src/controller-runtime/events/core-event-sink.test.ts",
      "src/controller-runtime/reconcile/log-failure.test.ts",
      "src/controller-runtime/reconcile/queue-controller.test.ts",
    ],
    reporters: [join(root, "test", "summary-reporter.ts")],
    isolate: false,
    ...timeLimits,
    server: { deps: { external: [/wherry\/dist\//] } },
  },
});

/** Puts the package's exports in the place of those of the sources, where a test imports them. */
async function published(): Promise<Plugin> {
  const bySource = await publicNames();
  return {
    name: "published",
    enforce: "pre",
    resolveId(target, importer = "") {
      if (!target.startsWith(".") || !isTest(importer)) return undefined;
      const file = resolve(dirname(importer), target);
      return bySource.has(file) && !isTest(file) ? `\0published:${file}` : undefined;
    },
    load(id) {
      if (!id.startsWith("\0published:")) return undefined;
      const file = id.slice("\0published:".length);
      const names = bySource.get(file) ?? new Map<string, string>();
      const own = runtimeNames(file).filter((name) => !names.has(name));
      return [
        ...(own.length > 0 ? [`export { ${own.join(", ")} } from ${JSON.stringify(file)};`] : []),
        ...[...names].map(([name, from]) => `export { ${name} } from ${JSON.stringify(from)};`),
      ].join("\n");
    },
  };
}

/** For each file of the sources, what the package exports of it, and the module from which. */
async function publicNames(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const bySource = new Map<string, Map<string, string>>();
  const entries = join(root, "entries");
  for (const entry of readdirSync(entries).filter((name) => name.endsWith(".ts"))) {
    const module = join(packed, "dist", entry.replace(/\.ts$/, ".js"));
    const exported = new Set(Object.keys(await import(pathToFileURL(module).href)));
    const source = readFileSync(join(entries, entry), "utf8");
    for (const [, names = "", path = ""] of source.matchAll(/export \{([^}]*)\} from "([^"]+)"/g)) {
      const file = resolve(entries, path);
      const known = bySource.get(file) ?? new Map<string, string>();
      for (const name of names.split(",").map((one) => one.trim()))
        if (exported.has(name)) known.set(name, module);
      bySource.set(file, known);
    }
  }
  return bySource;
}

const isTest = (file: string): boolean => /\.(test|test-support)\.ts$|-suite\.ts$/.test(file);

/** What a file of the sources exports beside types. */
const runtimeNames = (file: string): string[] =>
  [
    ...readFileSync(file, "utf8").matchAll(
      /^export (?:declare )?(?:async )?(?:const|function\*?|class|let) (\w+)/gm,
    ),
  ].map(([, name = ""]) => name);
