import type { Stats } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import type { VolumePlugin, VolumeSpec } from "../volume-plugin.ts";

/** Files and folders of the node, which are mounted as they are. */
export const hostPathPlugin: VolumePlugin = {
  name: "kubernetes.io/host-path",
  isOfNode: true,
  supports: (volume) => hostPathOf(volume) !== undefined,
  async setUp({ volume }) {
    const { path = "", type = "" } = hostPathOf(volume) ?? {};
    if (path.split("/").includes(".."))
      throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
    if (type !== "") await checkType(path, type);
    return { path, isReadOnly: volume.readOnly, isManaged: false };
  },
};

const hostPathOf = ({ source, persistentVolume }: VolumeSpec) =>
  source.hostPath ?? persistentVolume?.spec.hostPath;

async function checkType(path: string, type: string): Promise<void> {
  const check = checks[type];
  if (!check) throw new Error(`${type} is an invalid volume type`);
  const found = await stat(path).catch(() => undefined);
  if (!found && check.create) await check.create(path);
  else if (!found || !check.is(found))
    throw new Error(`hostPath type check failed: ${path} is not a ${check.text}`);
}

interface TypeCheck {
  readonly text: string;
  readonly is: (found: Stats) => boolean;
  readonly create?: (path: string) => Promise<unknown>;
}

const directory: TypeCheck = { text: "directory", is: (found) => found.isDirectory() };
const file: TypeCheck = { text: "file", is: (found) => found.isFile() };

const checks: Readonly<Record<string, TypeCheck | undefined>> = {
  Directory: directory,
  DirectoryOrCreate: {
    ...directory,
    create: (path) => mkdir(path, { recursive: true, mode: 0o755 }),
  },
  File: file,
  FileOrCreate: { ...file, create: async (path) => (await open(path, "a", 0o644)).close() },
  Socket: { text: "socket file", is: (found) => found.isSocket() },
  CharDevice: { text: "character device", is: (found) => found.isCharacterDevice() },
  BlockDevice: { text: "block device", is: (found) => found.isBlockDevice() },
};
