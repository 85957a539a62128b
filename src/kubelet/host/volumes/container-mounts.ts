import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { VolumeMount } from "../../../api/core/v1/volume/volume-mount.ts";
import type { Log } from "../../../base/log.ts";
import type { ContainerDevice, ContainerMount } from "../../../cri/linux-types.ts";
import type { EnvVar } from "../../../cri/runtime-types.ts";
import { expand } from "../../pod/container/container-environment.ts";
import { bindSubPath, type SubPath, subPathTarget } from "./bind-sub-path.ts";
import { CannotCreate } from "./safe-open.ts";
import type { MountedVolume, VolumePlugin, VolumeSpec } from "./volume-plugin.ts";

/** The volumes of a pod that are set up, by their names in the pod. */
export type PodMounts = ReadonlyMap<string, PodMount>;

export interface PodMount extends MountedVolume {
  readonly volume: VolumeSpec;
  readonly plugin: VolumePlugin;
}

export interface ContainerMountsRequest {
  readonly container: Container | EphemeralContainer;
  readonly volumes: PodMounts;
  /** The environment of the container, which `subPathExpr` refers to. */
  readonly env: readonly EnvVar[];
  /** The folder of the pod's sub paths. */
  readonly subPaths: string;
  /** Whether the runtime can make all mounts below a read-only one read-only. */
  readonly canBeRecursivelyReadOnly: boolean;
  readonly log: Log;
}

/** The volume mounts of a container, in the order of its spec; mounts sub paths. */
export async function containerMounts(
  request: ContainerMountsRequest,
): Promise<readonly ContainerMount[]> {
  const { container, volumes, env, subPaths } = request;
  const mounts: ContainerMount[] = [];
  for (const [index, one] of (container.volumeMounts ?? []).entries()) {
    const { name, mountPath } = one;
    const volume = volumes.get(name);
    if (!volume || volume.volume.mode === "Block")
      throw new Error(`cannot find volume "${name}" to mount into container "${container.name}"`);
    const subPath = subPathOf(one, env);
    const target = subPathTarget(subPaths, {
      ...{ volume: volume.volume.name, container: container.name, index },
    });
    const { image, path, isReadOnly, isManaged } = volume;
    const hasSubPath = subPath !== "" && image === undefined;
    mounts.push({
      containerPath: mountPath.startsWith("/") ? mountPath : `/${mountPath}`,
      hostPath: hasSubPath
        ? await bound(one, request, { volumePath: path, subPath, target })
        : path,
      readonly: isReadOnly || one.readOnly === true,
      recursiveReadOnly: isRecursive(one, request.canBeRecursivelyReadOnly),
      selinuxRelabel: isManaged,
      propagation: propagationOf(one),
      ...(image !== undefined && { image, imageSubPath: subPath }),
    });
  }
  return mounts;
}

/** The block devices of a container. */
export function containerDevices({
  container,
  volumes,
}: Pick<ContainerMountsRequest, "container" | "volumes">): readonly ContainerDevice[] {
  return (container.volumeDevices ?? []).map(({ name, devicePath }) => {
    if (!devicePath.startsWith("/"))
      throw new Error(`error DevicePath \`${devicePath}\` must be an absolute path`);
    const volume = volumes.get(name);
    if (volume?.volume.mode !== "Block")
      throw new Error(`cannot find volume "${name}" to pass into container "${container.name}"`);
    const permissions = volume.isReadOnly ? "r" : "mrw";
    return { hostPath: volume.path, containerPath: devicePath, permissions };
  });
}

/** The sub path of a mount, with the variables that it refers to; empty if there is none. */
function subPathOf(
  { subPath = "", subPathExpr = "" }: VolumeMount,
  env: readonly EnvVar[],
): string {
  const path = subPathExpr === "" ? subPath : expanded(subPathExpr, env);
  if (path.startsWith("/"))
    throw new Error(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split("/").includes(".."))
    throw new Error(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  return path;
}

function expanded(text: string, env: readonly EnvVar[]): string {
  const values = new Map(env.map(({ name, value }) => [name, value]));
  const missing = new Set<string>();
  const known = {
    get(name: string): string {
      const value = values.get(name) ?? "";
      if (value === "") missing.add(name);
      return value;
    },
  };
  const path = expand(text, known);
  if (missing.size > 0) throw new Error(`missing value for ${[...missing].sort().join(", ")}`);
  return path;
}

/** The reason of a failure is only logged: it could tell the owner of the pod about files of the node. */
async function bound(
  { name }: VolumeMount,
  { container, log }: ContainerMountsRequest,
  place: SubPath,
): Promise<string> {
  try {
    return await bindSubPath(place);
  } catch (error) {
    log.error("mounting a sub path failed", error, { container: container.name, volume: name });
    const what = error instanceof CannotCreate ? "create subPath directory" : "prepare subPath";
    throw new Error(`failed to ${what} for volumeMount "${name}" of container "${container.name}"`);
  }
}

function isRecursive(
  { name, recursiveReadOnly: mode = "Disabled", readOnly, mountPropagation = "None" }: VolumeMount,
  isPossible: boolean,
): boolean {
  if (mode === "Disabled") return false;
  const requested = `volume "${name}" requested recursive read-only mode, but it is not`;
  if (!readOnly) throw new Error(`${requested} read-only`);
  if (mountPropagation !== "None")
    throw new Error(`${requested} compatible with propagation "${mountPropagation}"`);
  if (mode === "IfPossible" || isPossible) return isPossible;
  throw new Error(`${requested} supported by the runtime`);
}

function propagationOf({
  mountPropagation = "None",
}: VolumeMount): NonNullable<ContainerMount["propagation"]> {
  switch (mountPropagation) {
    case "HostToContainer":
      return "hostToContainer";
    case "Bidirectional":
      return "bidirectional";
    default:
      return "private";
  }
}
