import { Readable } from "node:stream";
import { type TarMember, tarEnd, tarHeader } from "../../../platform/tar/tar-writer.ts";
import { digestOf } from "../../images/digest.ts";
import type { Snapshots } from "../../snapshots/snapshots.ts";

/**
 * The lowest layer of every container: the files and folders that are mounted over, and the mark of a container that
 * programs look for. Below the layers of the image, so that it changes nothing that the image has.
 */
export async function ensureInitLayer(snapshots: Snapshots): Promise<string> {
  const tar = initLayer();
  const diffId = digestOf(tar);
  if (!(await snapshots.hasLayer(diffId)))
    await snapshots.unpackLayer(diffId, Readable.from([tar]));
  return diffId;
}

function initLayer(): Buffer {
  const folder = (name: string): TarMember => ({
    name: `${name}/`,
    type: "folder",
    mode: 0o755,
    size: 0,
  });
  const file = (name: string): TarMember => ({ name, mode: 0o755, size: 0 });
  const members: readonly TarMember[] = [
    file(".dockerenv"),
    ...["dev", "dev/pts", "dev/shm"].map(folder),
    file("dev/console"),
    folder("etc"),
    ...["etc/hostname", "etc/hosts", "etc/resolv.conf"].map(file),
    { name: "etc/mtab", type: "symlink", linkName: "/proc/mounts", size: 0 },
    ...["proc", "sys"].map(folder),
  ];
  return Buffer.concat([...members.map(tarHeader), tarEnd]);
}
