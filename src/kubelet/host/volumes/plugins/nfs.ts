import { mkdir } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { runChild } from "../../../../platform/run-child.ts";
import { mount, mountAt } from "../mounts.ts";
import type { VolumePlugin, VolumeSpec } from "../volume-plugin.ts";

/** Folders of NFS servers, which a program of the node mounts. */
export const nfsPlugin: VolumePlugin = {
  name: "kubernetes.io/nfs",
  supports: (volume) => sourceOf(volume) !== undefined,
  async setUp({ volume, folder }) {
    const { server = "", path = "", readOnly = false } = sourceOf(volume) ?? {};
    const isReadOnly = volume.persistentVolume ? volume.readOnly : readOnly;
    const mounted = { path: folder, isReadOnly, isManaged: false };
    if (await mountAt(folder)) return mounted;
    await requireHelper();
    await mkdir(folder, { recursive: true, mode: 0o750 });
    const host = isIPv6(server) ? `[${server}]` : server;
    const options = volume.persistentVolume?.spec.mountOptions ?? [];
    await mount(folder, {
      ...{ type: "nfs", source: `${host}:${path}`, needsHelper: true },
      options: [...options, ...(isReadOnly ? ["ro"] : [])],
    });
    return mounted;
  },
};

const sourceOf = ({ source, persistentVolume }: VolumeSpec) =>
  source.nfs ?? persistentVolume?.spec.nfs;

/** Without its helper, mount fails with a message that does not help. */
async function requireHelper(): Promise<void> {
  const isThere = await runChild("mount.nfs", ["-V"]).then(
    () => true,
    () => false,
  );
  if (!isThere)
    throw new Error(
      "mount.nfs is not installed (on Debian and Ubuntu: apt-get install nfs-common)",
    );
}
