import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";
import { projectRoot } from "../scripts/project.mjs";

const entry = "src/cluster/commands/kubectl/kubectl-main.ts";

/** What the program of `wherry kubectl` is bundled from. */
async function inputs(): Promise<Metafile["inputs"]> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [entry],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "cjs",
    write: false,
    metafile: true,
    supported: { "dynamic-import": false },
  });
  return metafile.inputs;
}

/** The files that are loaded when the program starts, and packages and Node's modules among them. */
function loadedAtStart(files: Metafile["inputs"]): Set<string> {
  const loaded = new Set([entry]);
  for (const file of loaded)
    for (const { path, kind } of files[file]?.imports ?? [])
      if (kind === "import-statement") loaded.add(path);
  return loaded;
}

const layers = new Set([
  "api",
  "base",
  "cel",
  "cli",
  "client",
  "kubeconfig",
  "kubectl",
  "platform",
  "schema",
]);

test("kubectl's program has no code of servers, and starts without code for connections", async () => {
  const files = await inputs();
  const foreign = Object.keys(files).filter((file) => {
    const [top, layer = ""] = file.split("/");
    const isKnown = layers.has(layer) || file.startsWith("src/cri/streaming/");
    return top === "src" && !isKnown && file !== entry;
  });
  expect(foreign).toEqual([]);
  expect(Object.keys(files).length).toBeGreaterThan(100);
  const loaded = loadedAtStart(files);
  const late = ["js-yaml", "node:crypto", "node:http", "node:http2", "node:tls", "node:zlib"];
  expect(late.filter((name) => loaded.has(name))).toEqual([]);
  const connecting = [...loaded].filter((file) => /^src\/(cel|kubeconfig\/.*transport)/.test(file));
  expect(connecting).toEqual([]);
}, 60_000);
