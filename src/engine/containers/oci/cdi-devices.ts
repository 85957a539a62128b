import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DeviceSettings, MountSettings } from "../container-settings.ts";
import { requestedDevices } from "./devices.ts";

/** What the devices of other vendors add to a container. */
export interface CdiEdits {
  readonly env: readonly string[];
  readonly devices: readonly DeviceSettings[];
  readonly mounts: readonly MountSettings[];
  readonly additionalGids: readonly number[];
}

/** A file that describes devices, as far as it is used. */
interface CdiSpec {
  readonly kind: string;
  readonly containerEdits?: ContainerEdits;
  readonly devices: readonly { readonly name: string; readonly containerEdits: ContainerEdits }[];
}

interface ContainerEdits {
  readonly env?: readonly string[];
  readonly deviceNodes?: readonly {
    readonly path: string;
    readonly hostPath?: string;
    readonly permissions?: string;
  }[];
  readonly mounts?: readonly {
    readonly hostPath: string;
    readonly containerPath: string;
    readonly type?: string;
    readonly options?: readonly string[];
  }[];
  readonly hooks?: readonly object[];
  readonly additionalGids?: readonly number[];
}

/**
 * Looks up devices by names such as `vendor.com/class=name` in the files of the node, which later folders override.
 * Files in YAML are not read, and devices that need hooks are refused.
 */
export async function cdiEdits(
  names: readonly string[],
  folders: readonly string[] = ["/etc/cdi", "/var/run/cdi"],
): Promise<CdiEdits> {
  const wanted = [...new Set(names)];
  const specs = wanted.length === 0 ? [] : await readSpecs(folders);
  const found = wanted.map((name) => ({ name, edits: editsOf(name, specs) }));
  const missing = found.filter(({ edits }) => edits === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error(`CDI device injection failed: unresolvable CDI devices ${missing.join(", ")}`);
  }
  const edits = [...new Set(found.flatMap((device) => device.edits ?? []))];
  if (edits.some(({ hooks = [] }) => hooks.length > 0)) {
    throw new Error(`CDI device injection failed: hooks of ${wanted.join(", ")} are not supported`);
  }
  return {
    env: edits.flatMap(({ env = [] }) => env),
    devices: await requestedDevices(
      edits.flatMap(({ deviceNodes = [] }) =>
        deviceNodes.map(({ path, hostPath = path, permissions = "rwm" }) => ({
          hostPath,
          containerPath: path,
          permissions,
        })),
      ),
    ),
    mounts: edits.flatMap(({ mounts = [] }) =>
      mounts.map(({ hostPath, containerPath, type = "bind", options = ["rbind", "rprivate"] }) => ({
        type,
        source: hostPath,
        destination: containerPath,
        options,
      })),
    ),
    additionalGids: edits.flatMap(({ additionalGids = [] }) => additionalGids),
  };
}

/** The changes of a device, after those that all devices of its file need. */
function editsOf(name: string, specs: readonly CdiSpec[]): readonly ContainerEdits[] | undefined {
  const split = name.indexOf("=");
  const spec = specs.findLast(
    ({ kind, devices }) =>
      kind === name.slice(0, split) &&
      devices.some((device) => device.name === name.slice(split + 1)),
  );
  const device = spec?.devices.find((candidate) => candidate.name === name.slice(split + 1));
  if (spec === undefined || device === undefined) return undefined;
  return [...(spec.containerEdits ? [spec.containerEdits] : []), device.containerEdits];
}

/** A file that cannot be read describes no devices: those of other vendors still work. */
async function readSpecs(folders: readonly string[]): Promise<readonly CdiSpec[]> {
  const specs: CdiSpec[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((file) => file.endsWith(".json")).sort()) {
      const text = await readFile(join(folder, name), "utf8").catch(() => "");
      const spec = parseSpec(text);
      if (spec !== undefined) specs.push(spec);
    }
  }
  return specs;
}

function parseSpec(text: string): CdiSpec | undefined {
  try {
    const value = JSON.parse(text) as Partial<CdiSpec> | null;
    const devices = value?.devices;
    if (typeof value?.kind !== "string" || !Array.isArray(devices)) return undefined;
    if (!devices.every((device) => typeof device?.containerEdits === "object")) return undefined;
    return value as CdiSpec;
  } catch {
    return undefined;
  }
}
