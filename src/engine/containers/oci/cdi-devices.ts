import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import {
  type DeviceSettings,
  type Hook,
  type HookSettings,
  hookMoments,
  type MountSettings,
} from "../container-settings.ts";
import { requestedDevices } from "./devices.ts";

/** What the devices of other vendors add to a container. */
export interface CdiEdits {
  readonly env: readonly string[];
  readonly devices: readonly DeviceSettings[];
  readonly mounts: readonly MountSettings[];
  readonly additionalGids: readonly number[];
  /** Absent if there are none. */
  readonly hooks?: HookSettings;
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
  readonly hooks?: readonly ({ readonly hookName: string } & Hook)[];
  readonly additionalGids?: readonly number[];
}

export interface CdiSources {
  /** The folders with files that describe devices; later ones override earlier ones. */
  readonly folders?: readonly string[] | undefined;
  /** Reads a text in YAML, as most drivers write them. Without it, files in YAML are ignored. */
  readonly readYaml?: ((text: string) => unknown) | undefined;
}

/** Looks up devices by names such as `vendor.com/class=name` in the files of the node. */
export async function cdiEdits(
  names: readonly string[],
  sources: CdiSources = {},
): Promise<CdiEdits> {
  const wanted = [...new Set(names)];
  const specs = wanted.length === 0 ? [] : await readSpecs(sources);
  const found = wanted.map((name) => ({ name, edits: editsOf(name, specs) }));
  const missing = found.filter(({ edits }) => edits === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error(`CDI device injection failed: unresolvable CDI devices ${missing.join(", ")}`);
  }
  const edits = [...new Set(found.flatMap((device) => device.edits ?? []))];
  const hooks = hooksOf(edits);
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
    ...(hooks && { hooks }),
  };
}

/** The hooks of all edits by their moment, in their order; throws where a moment is none of OCI's. */
function hooksOf(edits: readonly ContainerEdits[]): HookSettings | undefined {
  const all = edits.flatMap(({ hooks = [] }) => hooks);
  if (all.length === 0) return undefined;
  const unknown = all.find(({ hookName }) => !hookMoments.some((moment) => moment === hookName));
  if (unknown)
    throw new Error(
      `CDI device injection failed: unknown hook name ${JSON.stringify(unknown.hookName)}`,
    );
  const byMoment = hookMoments.map((moment) => [
    moment,
    all
      .filter(({ hookName }) => hookName === moment)
      .map(({ path, args, env, timeout }) => ({
        path,
        ...(args && { args }),
        ...(env && { env }),
        ...(timeout !== undefined && { timeout }),
      })),
  ]);
  return Object.fromEntries(byMoment.filter(([, hooks]) => hooks?.length)) as HookSettings;
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
async function readSpecs({
  folders = ["/etc/cdi", "/var/run/cdi"],
  readYaml,
}: CdiSources): Promise<readonly CdiSpec[]> {
  const specs: CdiSpec[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.sort()) {
      const read = { ".json": JSON.parse, ".yaml": readYaml }[extname(name)];
      if (!read) continue;
      const text = await readFile(join(folder, name), "utf8").catch(() => "");
      const spec = parseSpec(text, read);
      if (spec !== undefined) specs.push(spec);
    }
  }
  return specs;
}

function parseSpec(text: string, read: (text: string) => unknown): CdiSpec | undefined {
  try {
    const value = read(text) as Partial<CdiSpec> | null;
    const devices = value?.devices;
    if (typeof value?.kind !== "string" || !Array.isArray(devices)) return undefined;
    if (!devices.every((device) => typeof device?.containerEdits === "object")) return undefined;
    return value as CdiSpec;
  } catch {
    return undefined;
  }
}
