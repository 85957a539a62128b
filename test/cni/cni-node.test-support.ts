import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { buildCniPlugins } from "../../scripts/build/cni-plugins.mjs";
import { type ChildResult, mustRun, runChild } from "../../src/platform/run-child.ts";

/** The plugins of this project, as they are installed. */
export interface InstalledPlugins {
  readonly folder: string;
  remove(): void;
}

export async function installPlugins(): Promise<InstalledPlugins> {
  const folder = mkdtempSync(join(tmpdir(), "wherry-cni-bin-"));
  await buildCniPlugins(join(folder, "wherry-cni"));
  for (const name of ["loopback", "bridge", "host-local", "portmap", "wherry"])
    symlinkSync("wherry-cni", join(folder, name));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export const debianPlugins = "/usr/lib/cni";

/** A network namespace that exists until the test ends. */
export interface TestNamespace {
  readonly name: string;
  readonly path: string;
  /** Runs a program in it; rejects if that fails. */
  run(program: string, ...args: string[]): Promise<string>;
}

let made = 0;

export async function namespace(): Promise<TestNamespace> {
  const name = `wherry-cni-${process.pid}-${made++}`;
  await mustRun("ip", ["netns", "add", name]);
  onTestFinished(async () => {
    await runChild("ip", ["netns", "delete", name]);
  });
  const path = `/run/netns/${name}`;
  return {
    ...{ name, path },
    run: (program, ...args) => mustRun("nsenter", [`--net=${path}`, program, ...args]),
  };
}

export interface TestCall {
  /** The folders of the plugins; the first one has the plugin that is called. */
  readonly path: readonly string[];
  readonly command: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly id?: string;
  readonly netns?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a plugin printed, as JSON where it is that. */
export interface CallOutput extends ChildResult {
  readonly json: Readonly<Record<string, never>>;
}

/** Calls a plugin in the network namespace that is a test's node. */
export async function callPlugin(
  node: TestNamespace,
  { path, command, config, id = "c1", netns = "", env }: TestCall,
): Promise<CallOutput> {
  const program = join(path[0] ?? "", String(config.type));
  const result = await runChild("nsenter", [`--net=${node.path}`, program], {
    input: JSON.stringify(config),
    env: {
      PATH: process.env.PATH,
      CNI_COMMAND: command,
      CNI_CONTAINERID: id,
      CNI_NETNS: netns,
      CNI_IFNAME: "eth0",
      CNI_PATH: path.join(":"),
      ...env,
    },
  });
  const json = result.stdout.trim() === "" ? {} : JSON.parse(result.stdout);
  return { ...result, json };
}

/** The same, of a call that must succeed. */
export async function mustCall(node: TestNamespace, call: TestCall): Promise<CallOutput["json"]> {
  const { code, json, stdout, stderr } = await callPlugin(node, call);
  if (code !== 0) throw new Error(`${call.command} ${call.config.type}: ${stdout}${stderr}`);
  return json;
}
