import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../../../test/project.ts";
import { startWith, testDir } from "../../../../test/support/apiserver.test-support.ts";
import { CustomResourceDefinition } from "../../../api/apiextensions/v1/custom-resource-definition.ts";
import { commandRunner } from "../../../cli/run-command.test-support.ts";
import { struct } from "../../../custom-kinds/language/containers.ts";
import { kind } from "../../../custom-kinds/language/kind.ts";
import type { Properties } from "../../../custom-kinds/language/property.ts";
import { int32, string } from "../../../custom-kinds/language/scalars.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { crdCommand } from "./crd-command.ts";

const run = commandRunner(crdCommand);

const names = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
} as const;
const widget = (spec: Properties) => kind({ ...names, fields: { spec: struct(spec) } });

/** Writes a module, as a compiled project would have it. */
function written(file: string, exported: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(exported).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`,
  );
  writeFileSync(file, lines.join(""));
  return file;
}

test("wherry crd generate: prints the manifest of a module in TypeScript", async () => {
  const folder = testDir();
  // The project's own esbuild, and nothing else.
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(
    join(projectRoot, "node_modules", "esbuild"),
    join(folder, "node_modules", "esbuild"),
  );
  const source = join(projectRoot, "src", "custom-kinds", "widget.test-support.ts");
  const file = join(folder, "widget.ts");
  writeFileSync(
    file,
    `import { Widget as Declared } from ${JSON.stringify(source)};
console.log("not part of the output");
export const Widget: typeof Declared = Declared;
`,
  );
  const { code, stdout, stderr } = await run("generate", file);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(yamlToJson(stdout)).toMatchObject({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: { names: { shortNames: ["wd"] } },
  });
  expect(readdirSync(folder).sort()).toEqual(["node_modules", "widget.ts"]);
});

test("wherry crd generate: prints kinds and manifests of a module in JavaScript", async () => {
  const folder = testDir();
  const older = kind({ ...names, version: "v1beta1", fields: {} });
  const current = kind({ ...names, fields: {}, otherVersions: [older] });
  const file = written(join(folder, "kinds.mjs"), { older, current, other: 3 });
  const { stdout } = await run("generate", file);
  expect(yamlToJson(stdout)).toEqual(current.definition);
  const apart = written(join(folder, "apart.mjs"), { older, current: widget({}) });
  expect(await run("generate", apart)).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "Error: widgets.example.com is declared twice, as current and as older: name one in otherVersions of the other\n",
  });
});

test("wherry crd generate: reports what a server would reject", async () => {
  const folder = testDir();
  const file = written(join(folder, "kinds.mjs"), {
    Widget: widget({ a: string().rule("self.size() >") }),
  });
  const { code, stdout, stderr } = await run("generate", file);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^Error: widgets.example.com: spec.*compilation failed: ERROR:/);
  const empty = written(join(folder, "empty.mjs"), { a: 1 });
  expect(await run("generate", empty)).toMatchObject({
    code: 1,
    stderr: `Error: ${empty} exports no kind: export what kind({…}) of wherry/schema returns\n`,
  });
  const missing = join(folder, "missing.ts");
  expect((await run("generate", missing)).stderr).toBe(`Error: there is no file ${missing}\n`);
});

test("wherry crd check: compares with a file", async () => {
  const folder = testDir();
  const old = written(join(folder, "old.mjs"), { Widget: widget({ a: string(), b: int32() }) });
  const wider = written(join(folder, "wider.mjs"), {
    Widget: widget({ a: string(), b: int32(), c: string() }),
  });
  expect(await run("check", wider, "--against", old)).toEqual({
    code: 0,
    stdout: "widgets.example.com: compatible\n",
    stderr: "",
  });
  const tighter = written(join(folder, "tighter.mjs"), {
    Widget: widget({ a: string().default("x") }),
  });
  expect(await run("check", tighter, "--against", old)).toEqual({
    code: 1,
    stdout: `widgets.example.com: 1 incompatible change, 1 note
  note  v1 .spec.a: the default is "x", and there was none
      Objects that are stored without the member show it from now on.
  incompatible  v1 .spec.b: is removed
      Objects lose it when they are written next. Keep it, and say in its description that it is not used.
`,
    stderr: "",
  });
  expect((await run("check", old, "--against", old, "--context", "a")).code).toBe(2);
});

test("wherry crd check: compares with a cluster", async () => {
  const folder = testDir();
  const { kubeconfig } = await startWith(folder);
  const connection = await connect({ path: kubeconfig });
  const old = widget({ a: string().max(5) });
  await connection.client.create(CustomResourceDefinition, old.definition);
  connection.close();
  const place = ["--kubeconfig", kubeconfig];
  const file = (name: string, exported: Record<string, unknown>) =>
    written(join(folder, `${name}.mjs`), exported);
  expect((await run("check", file("same", { old }), ...place)).stdout).toBe(
    "widgets.example.com: compatible\n",
  );
  const tighter = widget({ a: string().max(4) });
  const other = kind({ ...names, plural: "gadgets", kind: "Gadget", fields: {} });
  const { code, stdout } = await run("check", file("next", { tighter, other }), ...place);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^gadgets\.example\.com: new\n\nwidgets(.|\n)*\.spec\.a: the greatest length is 4, and was 5\n/,
  );
  const moved = kind({
    ...names,
    scope: "Cluster",
    fields: { spec: struct({ a: string().max(5) }) },
  });
  expect((await run("check", file("moved", { moved }), ...place)).stdout).toContain(
    'a server rejects it: spec.scope: Invalid value: "Cluster": field is immutable',
  );
});

test("wherry crd types: prints types of manifests in YAML and JSON", async () => {
  const folder = testDir();
  const manifest = join(folder, "widget.yaml");
  const { stdout: yaml } = await run("generate", written(join(folder, "a.mjs"), { a: widget({}) }));
  writeFileSync(manifest, `# a comment\n---\n${yaml}---\nkind: Other\n`);
  const { code, stdout } = await run("types", manifest);
  expect(code).toBe(0);
  expect(stdout).toContain("export const Widget = dynamicKind<Widget, WidgetInput>({");
  const list = join(folder, "list.json");
  writeFileSync(
    list,
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [widget({}).definition] }),
  );
  expect((await run("types", list)).stdout).toBe(stdout);
  writeFileSync(manifest, "kind: Other\n");
  expect((await run("types", manifest)).stderr).toBe(
    `Error: ${manifest} has no CustomResourceDefinition\n`,
  );
});
