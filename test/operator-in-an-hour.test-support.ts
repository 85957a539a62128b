import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished } from "vitest";
import { newMachine } from "../src/cluster/up/machine.test-support.ts";
import { mustRun, runChild } from "../src/platform/run-child.ts";
import { root } from "./packed.test-support.ts";

/**
 * Does what the README's "An operator in an hour" says, with the package that is installed in a folder. The
 * operator runs with the rights of the project's manifests, not with those of an administrator.
 */
export async function operatorInAnHour(installed: string): Promise<void> {
  const machine = newMachine();
  const folder = join(installed, "widget-operator");
  const env = {
    ...process.env,
    ...machine.env,
    PATH: `${programs(machine.dir, installed)}:${process.env.PATH}`,
  };
  const [begin = "", edit = "", run = "", look = ""] = blocks();
  const sh = (lines: readonly string[], cwd = folder) =>
    mustRun("sh", ["-exc", lines.join("\n")], { cwd, env });
  // The package, and what it needs, is in the folder above.
  await sh(
    commandsIn(begin).filter((line) => line !== "npm install"),
    installed,
  );
  applyEdits(folder, edit);
  const commands = commandsIn(run);
  expect(commands.at(-1)).toBe("npm start");
  await sh(commands.slice(0, -1));
  await sh([
    "kubectl apply -f manifests/namespace.yaml -f manifests/rbac.yaml -f manifests/deployment.yaml",
  ]);
  const operator = await startOperator(folder, {
    ...env,
    KUBECONFIG: await ofOperator(machine.dir, env),
  });

  for (const line of commandsIn(look)) {
    const [command = "", rejected] = line.split(/ +# rejected: /);
    const { code, stdout, stderr } = await runChild("sh", ["-c", command], { cwd: folder, env });
    if (rejected === undefined)
      expect({ command, code, stderr }).toMatchObject({ command, code: 0 });
    else
      expect({ command, code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(rejected),
      });
    if (command.endsWith("containerPort}'")) expect(stdout).toBe("8080");
    if (command.startsWith("kubectl get widgets,")) {
      expect(stdout).toMatch(/widget\S*\/blue +nginx:1.29 +True/);
      expect(stdout.match(/^pod\/blue-.* Running/gm)).toHaveLength(2);
    }
  }
  expect(await operator.stop()).toBe(0);
  expect((await machine.run("delete", "--yes")).code).toBe(0);
}

/** A folder with the programs that a user has: `wherry`, and those of the project's packages. */
function programs(dir: string, installed: string): string {
  const bin = join(dir, "bin");
  mkdirSync(bin);
  const modules = join(installed, "node_modules");
  for (const [name, file] of [
    ["wherry", "wherry/dist/wherry.js"],
    ["vitest", "vitest/vitest.mjs"],
    ["tsc", "typescript/lib/tsc.js"],
  ] as const) {
    const path = join(bin, name);
    writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${join(modules, file)}" "$@"\n`);
    chmodSync(path, 0o755);
  }
  return bin;
}

/** The blocks of code in the section. */
function blocks(): readonly string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, section = ""] = /## An operator in an hour\n([\s\S]*?)\n## /.exec(readme) ?? [];
  return [...section.matchAll(/```\w+\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
}

const commandsIn = (code: string): readonly string[] =>
  code.split("\n").filter((line) => line !== "");

/** Replaces the lines with "-" by those with "+" that follow them. */
function applyEdits(folder: string, diff: string): void {
  for (const ofFile of diff.split(/^--- /m).slice(1)) {
    const [name = "", ...lines] = ofFile.trimEnd().split("\n");
    const path = join(folder, name);
    let text = readFileSync(path, "utf8");
    const hunks = lines.join("\n").matchAll(/((?:^-.*\n)+)((?:^\+.*\n?)+)/gm);
    for (const [, removed = "", added = ""] of hunks) {
      const [old, next] = [removed, added].map((part) => part.trimEnd().replaceAll(/^[-+]/gm, ""));
      expect(text, name).toContain(old);
      text = text.replace(old ?? "", () => next ?? "");
    }
    writeFileSync(path, text);
  }
}

/** A kubeconfig that impersonates the operator's service account. */
async function ofOperator(dir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const view = await mustRun("kubectl", ["config", "view", "--raw", "--minify", "-o", "json"], {
    env,
  });
  const config = JSON.parse(view);
  config.contexts[0].context.namespace = "widget-operator";
  config.users[0].user.as = "system:serviceaccount:widget-operator:widget-operator";
  config.users[0].user["as-groups"] = ["system:serviceaccounts", "system:authenticated"];
  const path = join(dir, "operator.kubeconfig");
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

/** `npm start`, for any version of Node.js; until the test ends. */
async function startOperator(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ stop(): Promise<number | null> }> {
  const outfile = join(folder, "main.mjs");
  await build({
    entryPoints: [join(folder, "src/main.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const child = spawn(process.execPath, [outfile], { cwd: folder, env, stdio: ["ignore", 2, 2] });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
      return child.exitCode;
    },
  };
}
