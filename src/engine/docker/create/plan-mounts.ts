import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { DockerContext } from "../docker-context.ts";
import { badRequest } from "../http/docker-error.ts";
import type { ContainerConfig } from "./container-config.ts";
import type { DockerContainer, DockerMount } from "./docker-details.ts";
import type { HostConfig } from "./host-config.ts";
import { type MountPoint, parseBind, parseMount, volumeAt } from "./mount-point.ts";

/** The mounts of a container by their paths: of other containers, of the request, and of the image. */
export function planMounts(
  context: Pick<DockerContext, "registry">,
  config: Pick<ContainerConfig, "Volumes">,
  host: Pick<HostConfig, "Binds" | "Mounts" | "VolumesFrom" | "Tmpfs">,
): readonly MountPoint[] {
  const mounts = new Map<string, MountPoint>();
  for (const spec of host.VolumesFrom ?? [])
    for (const mount of mountsFrom(context, spec)) mounts.set(mount.destination, mount);
  const own = [
    ...(host.Binds ?? []).map(parseBind),
    ...(host.Mounts ?? []).map((mount) => parseMount(mount, existsSync)),
  ];
  const seen = new Set(Object.keys(host.Tmpfs ?? {}));
  for (const mount of own) {
    if (seen.has(mount.destination))
      throw badRequest(`Duplicate mount point: ${mount.destination}`);
    seen.add(mount.destination);
    mounts.set(mount.destination, mount);
  }
  for (const path of Object.keys(config.Volumes ?? {})) {
    const mount = volumeAt(path);
    if (!seen.has(mount.destination) && !mounts.has(mount.destination))
      mounts.set(mount.destination, mount);
  }
  return [...mounts.values()];
}

/** Makes the volumes and folders that mounts need. */
export async function resolveMounts(
  { volumes }: Pick<DockerContext, "volumes">,
  mounts: readonly MountPoint[],
  id: string,
): Promise<readonly DockerMount[]> {
  const resolved: DockerMount[] = [];
  for (const mount of mounts) {
    if (mount.type === "volume") {
      const { name = "", labels = null } = mount;
      const { volume } = await volumes.create({ name, labels, pendingFor: id });
      const source = volumes.path(volume.name);
      const mode = mount.mode || "z";
      resolved.push({ ...mount, mode, name: volume.name, source, isAnonymous: name === "" });
      continue;
    }
    if (mount.type === "bind" && mount.createsSource && !existsSync(mount.source))
      await mkdir(mount.source, { recursive: true });
    resolved.push({ ...mount, isAnonymous: false });
  }
  return resolved;
}

/** The mounts of another container, which may be read-only here: `NAME[:ro]`. */
function mountsFrom(
  { registry }: Pick<DockerContext, "registry">,
  spec: string,
): readonly MountPoint[] {
  const [name = "", mode = ""] = spec.split(":");
  if (name === "") throw badRequest("volumes-from specification cannot be an empty string");
  if (!["", "ro", "rw", "z", "Z"].includes(mode)) throw badRequest(`invalid mode: ${mode}`);
  return findDonor(registry, name)
    .details.mounts.filter(({ type }) => type !== "tmpfs")
    .map((mount) => ({ ...mount, writable: mount.writable && mode !== "ro", copies: false }));
}

/** Not found would make clients pull the image. */
function findDonor(registry: DockerContext["registry"], name: string): DockerContainer {
  try {
    return registry.find(name);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
