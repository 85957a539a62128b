import { posix } from "node:path";
import { badRequest } from "../http/docker-error.ts";
import type { MountRequest } from "./host-config.ts";

/** What is mounted at a path of a container. */
export interface MountPoint {
  readonly type: "bind" | "volume" | "tmpfs";
  /** The name of a volume; absent for one that has none yet. */
  readonly name?: string | undefined;
  /** A path of the host; that of a volume is known once it exists. */
  readonly source: string;
  readonly destination: string;
  /** As the client wrote it: `ro,z`. */
  readonly mode: string;
  readonly writable: boolean;
  readonly propagation: string;
  /** Whether a new volume gets what the image has at the path. */
  readonly copies: boolean;
  /** Whether a missing source is created as a folder. */
  readonly createsSource: boolean;
  readonly nonRecursive?: boolean | undefined;
  readonly tmpfsOptions?: readonly string[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Parses `SOURCE:DESTINATION[:MODE]` or a destination alone. */
export function parseBind(raw: string): MountPoint {
  const parts = raw.split(":");
  const [first = "", second = "", mode = ""] = parts;
  const invalid = `invalid volume specification: '${raw}'`;
  if (first === "" || parts.length > 3) throw badRequest(invalid);
  if (parts.length === 2 && isMode(second)) throw badRequest(invalid);
  if (!isMode(mode)) throw badRequest(`invalid mode: ${mode}`);
  const options = mode.split(",");
  const propagation = options.find((option) => propagations.has(option));
  const [source, target] = parts.length === 1 ? ["", first] : [first, second];
  const isBind = source.startsWith("/");
  const reason = targetProblem(target);
  if (reason !== undefined)
    throw badRequest(
      `${invalid}: invalid mount config for type "${isBind ? "bind" : "volume"}": ${reason}`,
    );
  if (!isBind && propagation !== undefined)
    throw badRequest(
      `${invalid}: invalid mount config for type "volume": field BindOptions must not be specified`,
    );
  if (isBind && options.includes("nocopy"))
    throw badRequest(
      `${invalid}: invalid mount config for type "bind": field VolumeOptions must not be specified`,
    );
  return {
    type: isBind ? "bind" : "volume",
    ...(!isBind && source !== "" && { name: volumeName(source) }),
    source: isBind ? posix.normalize(source).replace(/(.)\/$/, "$1") : "",
    destination: cleanTarget(target),
    mode,
    writable: !options.includes("ro"),
    propagation: isBind ? (propagation ?? "rprivate") : "",
    copies: !options.includes("nocopy"),
    createsSource: true,
  };
}

/**
 * A new volume at a path. The path may be an image's, which must never name a folder of the host: nothing in it
 * separates a source from a destination.
 */
export function volumeAt(path: string): MountPoint {
  const reason = targetProblem(path);
  if (reason !== undefined)
    throw badRequest(
      `invalid volume specification: '${path}': invalid mount config for type "volume": ${reason}`,
    );
  return {
    ...{ type: "volume", source: "", destination: cleanTarget(path), mode: "", propagation: "" },
    ...{ writable: true, copies: true, createsSource: true },
  };
}

/** Parses a mount of the form with named fields. */
export function parseMount(mount: MountRequest, exists: (path: string) => boolean): MountPoint {
  const problem = mountProblem(mount, exists);
  if (problem !== undefined)
    throw badRequest(`invalid mount config for type "${mount.Type}": ${problem}`);
  const common = {
    destination: cleanTarget(mount.Target),
    mode: "",
    writable: !mount.ReadOnly,
    createsSource: mount.BindOptions?.CreateMountpoint ?? false,
    propagation: "",
    copies: false,
  };
  if (mount.Type === "tmpfs")
    return { ...common, type: "tmpfs", source: "", tmpfsOptions: tmpfsOptions(mount) };
  if (mount.Type === "bind")
    return {
      ...common,
      type: "bind",
      source: posix.normalize(mount.Source),
      propagation: mount.BindOptions?.Propagation || "rprivate",
      nonRecursive: mount.BindOptions?.NonRecursive ?? false,
    };
  return {
    ...common,
    type: "volume",
    ...(mount.Source !== "" && { name: volumeName(mount.Source) }),
    source: "",
    mode: "z",
    copies: !(mount.VolumeOptions?.NoCopy ?? false),
    labels: mount.VolumeOptions?.Labels ?? {},
  };
}

/** Rejects names of volumes that could leave their folder. */
export function volumeName(name: string): string {
  if (name.length < 2)
    throw badRequest(
      "volume name is too short, names should be at least two alphanumeric characters",
    );
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/.test(name))
    throw badRequest(
      `create ${name}: "${name}" includes invalid characters for a local volume name, only "[a-zA-Z0-9][a-zA-Z0-9_.-]" are allowed. If you intended to pass a host directory, use absolute path`,
    );
  return name;
}

function mountProblem(mount: MountRequest, exists: (path: string) => boolean): string | undefined {
  const { Type: type } = mount;
  const extra = (name: string): string => `field ${name} must not be specified`;
  if (type !== "bind" && mount.BindOptions) return extra("BindOptions");
  if (type !== "volume" && mount.VolumeOptions) return extra("VolumeOptions");
  if (type !== "tmpfs" && mount.TmpfsOptions) return extra("TmpfsOptions");
  if (mount.Target === "") return "field Target must not be empty";
  const target = targetProblem(mount.Target);
  if (target !== undefined) return target;
  if (type === "bind") return bindProblem(mount, exists);
  if (type === "tmpfs") return mount.Source === "" ? undefined : extra("Source");
  if (type !== "volume") return "mount type unknown";
  if (mount.VolumeOptions?.Subpath) return "subpaths of volumes are not supported by this engine";
  return undefined;
}

function bindProblem(mount: MountRequest, exists: (path: string) => boolean): string | undefined {
  if (mount.Source === "") return "field Source must not be empty";
  const propagation = mount.BindOptions?.Propagation ?? "";
  if (propagation !== "" && !propagations.has(propagation))
    return `invalid propagation mode: ${propagation}`;
  if (!mount.Source.startsWith("/"))
    return `invalid mount path: '${mount.Source}' mount path must be absolute`;
  if (!exists(mount.Source) && !mount.BindOptions?.CreateMountpoint)
    return `bind source path does not exist: ${mount.Source}`;
  return undefined;
}

function targetProblem(target: string): string | undefined {
  if (cleanTarget(target) === "/") return "invalid specification: destination can't be '/'";
  if (!target.startsWith("/")) return `invalid mount path: '${target}' mount path must be absolute`;
  return undefined;
}

const cleanTarget = (path: string): string => posix.normalize(path).replace(/(.)\/$/, "$1");

function tmpfsOptions({ TmpfsOptions: options, ReadOnly }: MountRequest): readonly string[] {
  return [
    ...(ReadOnly ? ["ro"] : []),
    ...(options?.Mode ? [`mode=${options.Mode.toString(8)}`] : []),
    ...(options?.SizeBytes ? [`size=${options.SizeBytes}`] : []),
  ];
}

/** Whether a mode has at most one word of each group. */
function isMode(mode: string): boolean {
  if (mode === "") return true;
  const words = mode.split(",");
  const groups = words.map((word) => modeGroups.findIndex((group) => group.has(word)));
  return !groups.includes(-1) && new Set(groups).size === groups.length;
}

const propagations = new Set(["private", "rprivate", "slave", "rslave", "shared", "rshared"]);
const modeGroups: readonly ReadonlySet<string>[] = [
  new Set(["rw", "ro"]),
  new Set(["z", "Z"]),
  propagations,
  new Set(["nocopy"]),
  new Set(["default", "consistent", "cached", "delegated"]),
];
