import { realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CniError } from "../../cri/cni/cni-error.ts";
import { isPluginType } from "../../cri/cni/cni-names.ts";
import { type CniResult, readResult } from "../../cri/cni/cni-result.ts";
import { runChild } from "../../platform/run-child.ts";
import type { CniPlugin, NetworkCall, PluginCall } from "./plugin.ts";

/** The plugins of this program. A delegate that is one of them needs no process of its own. */
export interface OwnProgram {
  readonly path: string;
  readonly plugins: () => Readonly<Record<string, CniPlugin>>;
}

/** A plugin that a plugin runs, such as the one that assigns addresses. */
export interface Delegate {
  add(call: PluginCall): Promise<CniResult>;
  del(call: PluginCall): Promise<void>;
  check(call: PluginCall): Promise<void>;
  gc(call: NetworkCall): Promise<void>;
  status(call: NetworkCall): Promise<void>;
}

/** Finds a plugin in CNI_PATH; throws if it is not there. */
export function findDelegate(type: unknown, { env }: NetworkCall, own: OwnProgram): Delegate {
  if (!isPluginType(type))
    throw new CniError("invalidConfig", `invalid plugin name: ${JSON.stringify(type)}`);
  const folders = (env.CNI_PATH ?? "").split(delimiter).filter((one) => one !== "");
  const path = folders.map((one) => join(one, type)).find(isFile);
  if (path === undefined)
    throw new CniError(
      "internal",
      `failed to find plugin ${JSON.stringify(type)} in path [${folders.join(" ")}]`,
    );
  const plugin = isSame(path, own.path) ? own.plugins()[type] : undefined;
  return plugin ? within(plugin) : program(path);
}

const within = (plugin: CniPlugin): Delegate => ({
  add: (call) => plugin.add(call),
  del: (call) => plugin.del(call),
  check: (call) => plugin.check(call),
  gc: async (call) => plugin.gc?.(call),
  status: async (call) => plugin.status?.(call),
});

function program(path: string): Delegate {
  const run = async (command: string, { input, env }: NetworkCall): Promise<string> => {
    const { code, stdout, stderr } = await runChild(path, [], {
      input,
      env: { ...env, CNI_COMMAND: command },
    });
    if (stderr !== "") process.stderr.write(stderr);
    if (code !== 0) throw printedError(stdout, `${path} ended with code ${code}`);
    return stdout;
  };
  return {
    add: async (call) => readResult(JSON.parse(await run("ADD", call)), call.config.cniVersion),
    del: async (call) => void (await run("DEL", call)),
    check: async (call) => void (await run("CHECK", call)),
    gc: async (call) => void (await run("GC", call)),
    status: async (call) => void (await run("STATUS", call)),
  };
}

function printedError(stdout: string, otherwise: string): CniError {
  try {
    const { code, msg, details } = JSON.parse(stdout) as Record<string, unknown>;
    return new CniError(Number(code) || 999, String(msg ?? ""), String(details ?? ""));
  } catch {
    return new CniError("internal", otherwise, stdout.trim());
  }
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function isSame(path: string, other: string): boolean {
  try {
    return realpathSync(path) === realpathSync(other);
  } catch {
    return false;
  }
}
