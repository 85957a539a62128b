import { spawn } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mustRun } from "../src/platform/run-child.ts";
import { hover } from "./language-server.test-support.ts";
import { operatorInAnHour } from "./operator-in-an-hour.test-support.ts";
import { type PackedProject, packedProject, root } from "./packed.test-support.ts";
import { requires, testWith } from "./requires.ts";

let project: PackedProject;
beforeAll(() => {
  project = packedProject(["test/packed-project", "examples"]);
  cpSync(join(root, "create-wherry-operator"), join(project.folder, "create"), { recursive: true });
});
afterAll(() => project?.remove());

const modules = join(root, "node_modules");
const tsc = join(modules, "typescript", "lib", "tsc.js");
const vitest = join(modules, "vitest", "vitest.mjs");
const jest = join(modules, "jest", "bin", "jest.js");

interface Run {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program of Node in the project; resolves with what it printed if it failed, else with nothing. */
async function failure(args: readonly string[], { folder = ".", env = {} }: Run = {}) {
  const child = spawn(process.execPath, args, {
    cwd: join(project.folder, folder),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += chunk;
    });
  const code = await new Promise((resolve) => child.once("close", resolve));
  return code === 0 ? "" : `exit ${code}\n${printed}`;
}

test("the packed package: correct code compiles under strict, and wrong code does not", async () => {
  expect(await failure([tsc, "-p", "."])).toBe("");
});

test("the packed program: requires packages, which its compiled code could not import", () => {
  const program = readFileSync(
    join(project.folder, "node_modules/wherry/dist/program.cjs"),
    "utf8",
  );
  expect(program).toContain('require("@lydell/node-pty")');
  expect(program).not.toContain('import("');
});

test("the packed package: an editor shows our description of a field", async () => {
  const shown = await hover(project.folder, "types.ts", "web.spec.template.spec.containers");
  expect(shown).toContain("PodSpec.containers: readonly Container[]");
  expect(shown).toContain("The containers of the pod; at least one.");
});

test("the packed package: a cluster under node:test", async () => {
  expect(await failure(["--test", "node.test.mjs"])).toBe("");
});

test("the packed package: a cluster and a controller under Jest", async () => {
  const args = [jest, "--rootDir", ".", "--testMatch", "**/jest.test.cjs", "--runInBand"];
  expect(await failure(args)).toBe("");
});

test.each(["api-server", "copied-config", "custom-metrics", "ingress", "scheduler-plugin"])(
  "the packed package: the example %s compiles, and its tests pass under Vitest",
  async (folder) => {
    expect(await failure([tsc, "-p", "."], { folder })).toBe("");
    expect(await failure([vitest, "run"], { folder })).toBe("");
  },
);

test("the packed program: init writes a project that compiles, and whose tests pass", async () => {
  const wherry = join(project.folder, "node_modules/wherry/dist/wherry.js");
  const names = ["--name", "tab-operator", "--group", "tabs.example.org", "--kind", "CronTab"];
  expect(await failure([wherry, "init", "tabs", ...names])).toBe("");
  expect(await failure([wherry, "init", "tabs", ...names])).toContain("is not empty: choose");
  expect(await failure([tsc, "-p", "."], { folder: "tabs" })).toBe("");
  expect(await failure([vitest, "run"], { folder: "tabs" })).toBe("");
  const folder = join(project.folder, "tabs");
  const generated = await mustRun(
    process.execPath,
    [wherry, "crd", "generate", "src/cron-tab.ts"],
    {
      cwd: folder,
    },
  );
  expect(generated).toBe(readFileSync(join(folder, "manifests/crd.yaml"), "utf8"));
});

test("create-wherry-operator: writes such a project, of its own version", async () => {
  const create = join(project.folder, "create");
  expect(
    await failure([join(create, "create-wherry-operator.mjs"), "created", "--kind", "Box"]),
  ).toBe("");
  expect(readFileSync(join(project.folder, "created/src/box.ts"), "utf8")).toContain('kind: "Box"');
  const [own, written] = [create, join(project.folder, "created")].map((folder) =>
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(own).toMatchObject({ version, dependencies: { wherry: `^${version}` } });
  expect(written.dependencies).toEqual(own.dependencies);
});

testWith(requires("kubectl"))("README: an operator in an hour, as it is written", () =>
  operatorInAnHour(project.folder),
);

test("the packed package: the tests of clients and controllers pass against what it exports", async () => {
  const config = join(root, "test", "published.config.ts");
  const env = { WHERRY_PACKED: join(project.folder, "node_modules", "wherry") };
  expect(await failure([vitest, "run", "--config", config], { env })).toBe("");
}, 900_000);
