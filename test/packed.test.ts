import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mustRun } from "../src/platform/run-child.ts";
import { hover } from "./language-server.test-support.ts";
import { type PackedProject, packedProject, root } from "./packed.test-support.ts";

let project: PackedProject;
beforeAll(() => {
  project = packedProject(["test/packed-project", "examples"]);
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

test("the packed package: the tests of clients and controllers pass against what it exports", async () => {
  const config = join(root, "test", "published.config.ts");
  const env = { WHERRY_PACKED: join(project.folder, "node_modules", "wherry") };
  expect(await failure([vitest, "run", "--config", config], { env })).toBe("");
}, 900_000);
