import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn as openTerminal } from "@lydell/node-pty";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSurroundings } from "../../scripts/facts/kubectl/kubectl-surroundings.ts";
import { runOwnKubectl } from "../../scripts/facts/kubectl/run-own-kubectl.ts";

const root = join(import.meta.dirname, "..", "..");
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wherry-kubectl-program-"));
  await build({
    stdin: {
      contents: `
        import { main } from "./src/kubectl/main.ts";
        main(process.argv.slice(2)).then((code) => process.exit(code));
      `,
      resolveDir: root,
      sourcefile: "kubectl.ts",
    },
    outdir: folder,
    entryNames: "kubectl",
    splitting: true,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
    },
    logLevel: "error",
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

test("kubectl edit and diff: editors and programs that compare get the terminal", async () => {
  await using surroundings = await openSurroundings({ name: "terminal", steps: [] });
  const { cluster, env } = surroundings;
  await cluster.kubectl("create configmap a --from-literal=key=value");
  const editor = join(surroundings.folder, "editor");
  // Fails unless all three streams are a terminal, and asks for a key as editors do.
  writeFileSync(
    editor,
    `#!/bin/sh
test -t 0 && test -t 1 && test -t 2 || exit 1
printf 'which value? '; read -r value
sed -i "s/value/$value/" "$1"
`,
  );
  chmodSync(editor, 0o700);
  const edited = inTerminal(["edit", "configmap", "a"], { ...env, KUBE_EDITOR: editor }, (text) =>
    text.includes("which value? ") ? "other\r" : undefined,
  );
  expect(await edited).toMatch(/configmap\/a edited\r\n$/);
  const { stdout } = await cluster.kubectl("get configmap a -o jsonpath={.data.key}");
  expect(stdout).toBe("other");
  const file = join(surroundings.folder, "a.yaml");
  writeFileSync(file, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {key: third}}");
  const compare = join(surroundings.folder, "compare");
  writeFileSync(compare, '#!/bin/sh\ntest -t 1 && echo "on a terminal"\n');
  chmodSync(compare, 0o700);
  const compared = inTerminal(["diff", "-f", file], { ...env, KUBECTL_EXTERNAL_DIFF: compare });
  expect(await compared).toBe("on a terminal\r\n");
}, 60_000);

test("kubectl edit: in a program, an editor writes to the output of the command", async () => {
  await using surroundings = await openSurroundings({ name: "value", steps: [] });
  await surroundings.cluster.kubectl("create configmap a --from-literal=key=value");
  const run = runOwnKubectl(Date.now());
  const step = { run: "edit configmap a", env: { KUBE_EDITOR: "grep -c value" } };
  expect(await run(step, surroundings)).toEqual({
    stdout: "1\n",
    stderr: "Edit cancelled, no changes made.\n",
    exitCode: 0,
  });
});

/** Runs our kubectl in a terminal; resolves with all that was on it. */
function inTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  answer: (text: string) => string | undefined = () => undefined,
): Promise<string> {
  const terminal = openTerminal(process.execPath, [join(folder, "kubectl.mjs"), ...args], { env });
  let text = "";
  let hasAnswered = false;
  terminal.onData((data) => {
    text += data;
    const key = hasAnswered ? undefined : answer(text);
    if (key === undefined) return;
    hasAnswered = true;
    terminal.write(key);
  });
  return new Promise((resolve) => terminal.onExit(() => resolve(text)));
}
