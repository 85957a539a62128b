import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { longEnoughMs } from "./long-enough.ts";

const root = join(import.meta.dirname, "..");
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wherry-testing-"));
  await build({
    stdin: {
      contents: [
        'export { ConfigMap } from "./src/api/core/v1/config-map.ts";',
        'export * from "./entries/testing.ts";',
      ].join("\n"),
      resolveDir: root,
      sourcefile: "testing.ts",
    },
    outdir: folder,
    entryNames: "testing",
    // As the package is published: what is loaded on demand, such as kubectl, is in files of its own.
    splitting: true,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    logLevel: "error",
    // What it depends on may be CommonJS.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a file in a process of its own, which must end by itself; resolves with what it printed. */
function run(args: readonly string[], source: string): string {
  const file = join(folder, "program.test.mjs");
  writeFileSync(file, `import { ConfigMap, startCluster } from "./testing.mjs";\n${source}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, file], {
    encoding: "utf8",
    timeout: longEnoughMs,
  });
  return status === 0 ? stdout.trim() : `exit ${status}\n${stdout}\n${stderr}`;
}

const useIt = `
  const use = async (cluster) => {
    await cluster.client.create(ConfigMap, { metadata: { name: "a" } });
    const fork = cluster.fork();
    const watching = (async () => { for await (const _ of fork.client.watch(ConfigMap)) {} })();
    await cluster.settled();
    return [cluster, fork];
  };
`;

test.each(["real", "virtual"])(
  "after it is closed, a cluster of %s time leaves nothing behind",
  (clock) => {
    const printed = run(
      [],
      `${useIt}
    const clusters = await use(await startCluster({ clock: ${JSON.stringify(clock)} }));
    await Promise.all(clusters.map((cluster) => cluster.close()));
console.log(process.getActiveResourcesInfo().length);`,
    );
    expect(printed).toBe("0");
  },
);

test("a process ends by itself even if the cluster is never closed", () => {
  const printed = run([], `${useIt} await use(await startCluster()); console.log("done");`);
  expect(printed).toBe("done");
});

test("a pending wait keeps the process alive", () => {
  const printed = run(
    [],
    `const { transport } = await startCluster();
    const query = "resourceVersion=1000000";
    const path = "/api/v1/configmaps";
    const answer = await transport({ method: "GET", path, query, headers: {} });
    console.log(answer.status);`,
  );
  expect(printed).toBe("504");
});

test("node:test runs tests with clusters, and its process ends", () => {
  const printed = run(
    ["--test", "--test-reporter=tap"],
    `import { test } from "node:test";
    import assert from "node:assert/strict";
    for (const name of ["a", "b"])
      test(name, async (t) => {
        const cluster = await startCluster();
        t.after(() => cluster.close());
        await cluster.client.create(ConfigMap, { metadata: { name } });
        const { items } = await cluster.client.list(ConfigMap, { namespace: "default" });
        assert.deepEqual(items.map(({ metadata }) => metadata.name), [name]);
      });`,
  );
  expect(printed).toContain("# pass 2");
  expect(printed).toContain("# fail 0");
});
