import { bool, named, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { validateLocalPath } from "./local-path.ts";

export const VolumeMount = struct("io.k8s.api.core.v1.VolumeMount", {
  name: string(1).always().expected().doc("The volume of the pod that is mounted."),
  readOnly: bool(2).doc("Whether the container may only read it."),
  recursiveReadOnly: named(7, "v1.RecursiveReadOnlyMode")
    .pointer()
    .known("Disabled", "IfPossible", "Enabled")
    .doc("Whether mounts below a read-only one are read-only too."),
  mountPath: string(3).always().expected().doc("Path in the container at which it is mounted."),
  subPath: string(4).doc("Path within the volume that is mounted instead of its root."),
  mountPropagation: named(5, "v1.MountPropagationMode")
    .pointer()
    .known("None", "HostToContainer", "Bidirectional")
    .doc("Which mounts made later the node and the container see of each other."),
  subPathExpr: string(6).doc("Like subPath, with $(NAME) for the container's variables."),
}).doc("A volume as a container sees it.");
export interface VolumeMount extends Infer<typeof VolumeMount> {}

export const VolumeDevice = struct("io.k8s.api.core.v1.VolumeDevice", {
  name: string(1).always().expected().doc("The volume of the pod, which must be a claim."),
  devicePath: string(2).always().expected().doc("Path in the container at which it appears."),
}).doc("A volume that a container sees as a block device.");
export interface VolumeDevice extends Infer<typeof VolumeDevice> {}

/** The volumes of a pod by name; only whether one is a claim is of interest here. */
export type VolumesByName = ReadonlyMap<
  string,
  { readonly persistentVolumeClaim?: unknown; readonly ephemeral?: unknown }
>;

interface Mounts {
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
  readonly volumeDevices?: readonly VolumeDevice[] | undefined;
  readonly securityContext?: { readonly privileged?: boolean | undefined } | undefined;
}

/** The rules of a container's mounts. */
export function validateVolumeMounts(container: Mounts, at: At, volumes: VolumesByName): void {
  const { volumeMounts = [], volumeDevices = [], securityContext } = container;
  const paths = new Set<string>();
  for (const [i, mount] of volumeMounts.entries()) {
    const here = at.index(i);
    const { name, mountPath } = mount;
    if (!name) here.required("name");
    if (!volumes.has(name)) here.notFound("name", name);
    if (!mountPath) here.required("mountPath");
    if (paths.has(mountPath)) here.invalid("mountPath", mountPath, "must be unique");
    paths.add(mountPath);
    if (volumeDevices.some((device) => device.name === name))
      here.invalid("name", name, "must not already exist in volumeDevices");
    if (lastPaths(volumeDevices, "devicePath").includes(mountPath))
      here.invalid("mountPath", mountPath, "must not already exist as a path in volumeDevices");
    validateSubPaths(mount, here, at);
    validatePropagation(mount, at, securityContext?.privileged === true);
    validateRecursiveReadOnly(mount, at);
  }
}

/** The rules of a container's block devices. */
export function validateVolumeDevices(container: Mounts, at: At, volumes: VolumesByName): void {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [i, { name, devicePath }] of volumeDevices.entries()) {
    const here = at.index(i);
    validateDeviceName(name, here, { names, volumes });
    if (!devicePath) here.required("devicePath");
    if (paths.has(devicePath)) here.invalid("devicePath", devicePath, "must be unique");
    if (devicePath.split("/").includes(".."))
      here.invalid("devicePath", devicePath, "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (volumeMounts.some((mount) => mount.name === name))
      here.invalid("name", name, "must not already exist in volumeMounts");
    if (lastPaths(volumeMounts, "mountPath").includes(devicePath))
      here.invalid("devicePath", devicePath, "must not already exist as a path in volumeMounts");
    if (name) names.add(name);
  }
}

function validateDeviceName(
  name: string,
  at: At,
  { names, volumes }: { names: ReadonlySet<string>; volumes: VolumesByName },
): void {
  const volume = volumes.get(name);
  if (!name) at.required("name");
  if (names.has(name)) at.invalid("name", name, "must be unique");
  if (volume && !volume.persistentVolumeClaim && !volume.ephemeral)
    at.invalid(
      "name",
      name,
      "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
    );
  if (!volume) at.notFound("name", name);
}

/** One path for each volume: of several, the last counts. */
function lastPaths<K extends string>(
  items: readonly ({ readonly name: string } & { readonly [P in K]: string })[],
  path: K,
): readonly string[] {
  return [...new Map(items.map((item) => [item.name, item[path]])).values()];
}

/** Errors within the paths are reported for the list as a whole. */
function validateSubPaths({ subPath, subPathExpr }: VolumeMount, at: At, list: At): void {
  if (subPath) validateLocalPath(subPath, list.child("subPath"));
  if (!subPathExpr) return;
  if (subPath)
    at.invalid("subPathExpr", subPathExpr, "subPathExpr and subPath are mutually exclusive");
  validateLocalPath(subPathExpr, list.child("subPathExpr"));
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

function validatePropagation(
  { mountPropagation }: VolumeMount,
  list: At,
  privileged: boolean,
): void {
  if (mountPropagation === undefined) return;
  if (!propagations.includes(mountPropagation))
    list.notSupported("mountPropagation", mountPropagation, propagations);
  if (mountPropagation === "Bidirectional" && !privileged)
    list.forbidden(
      "mountPropagation",
      "Bidirectional mount propagation is available only to privileged containers",
    );
}

const readOnlyModes = ["Disabled", "Enabled", "IfPossible"];

function validateRecursiveReadOnly(mount: VolumeMount, list: At): void {
  const { recursiveReadOnly: mode, readOnly, mountPropagation = "None" } = mount;
  if (mode === undefined || mode === "Disabled") return;
  if (!readOnlyModes.includes(mode)) {
    list.notSupported("recursiveReadOnly", mode, readOnlyModes);
    return;
  }
  if (!readOnly) list.forbidden("recursiveReadOnly", "may only be specified when readOnly is true");
  if (mountPropagation !== "None")
    list.forbidden(
      "recursiveReadOnly",
      "may only be specified when mountPropagation is None or not specified",
    );
}
