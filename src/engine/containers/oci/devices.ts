import type { BigIntStats } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DeviceSettings } from "../container-settings.ts";
import { errnoText } from "./errno-text.ts";

interface DeviceRequest {
  readonly hostPath: string;
  readonly containerPath: string;
  /** `r`, `w` and `m` for making the node. */
  readonly permissions: string;
}

/** The devices of the node that a container asks for; a folder stands for all devices in it. */
export async function requestedDevices(
  requests: readonly DeviceRequest[],
): Promise<readonly DeviceSettings[]> {
  const found = await Promise.all(
    requests.map(async ({ hostPath, containerPath, permissions }) => {
      const path = await realpath(hostPath).catch((cause: unknown) => {
        throw new Error(`lstat ${hostPath}: ${errnoText(cause)}`, { cause });
      });
      const devices = await devicesAt(path, containerPath || hostPath);
      return devices.map((device) => ({ ...device, access: permissions }));
    }),
  );
  return found.flat();
}

/** All devices of the node, which a privileged container gets. */
export async function allDevices(folder = "/dev"): Promise<readonly DeviceSettings[]> {
  return devicesIn(folder, folder);
}

async function devicesAt(path: string, containerPath: string): Promise<readonly DeviceSettings[]> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new Error(`error stating device path: stat ${path}: ${errnoText(cause)}`, { cause });
  });
  if (stats.isDirectory()) return devicesIn(path, containerPath);
  const device = await deviceAt(path, containerPath);
  if (device !== undefined) return [device];
  throw new Error(
    `get device path: ${JSON.stringify(path)} containerPath: ${JSON.stringify(containerPath)} ` +
      "error: not a device node",
  );
}

/** Folders of /dev that are mounts of their own in every container, or hold no devices. */
const skippedFolders = new Set(["pts", "shm", "fd", "mqueue", ".lxc", ".lxd-mounts", ".udev"]);

/** Links, sockets and named pipes are skipped, and the console: a container has its own. */
async function devicesIn(folder: string, containerPath: string): Promise<DeviceSettings[]> {
  const devices: DeviceSettings[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const inner = join(containerPath, entry.name);
    if (entry.isDirectory()) {
      if (!skippedFolders.has(entry.name)) devices.push(...(await devicesIn(path, inner)));
    } else if (entry.name !== "console") {
      const device = await deviceAt(path, inner);
      if (device !== undefined && device.type !== "p") devices.push(device);
    }
  }
  return devices;
}

/** Undefined if the file is no device, or is gone. */
async function deviceAt(path: string, containerPath: string): Promise<DeviceSettings | undefined> {
  const stats = await lstat(path, { bigint: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });
  const type = stats && typeOf(stats);
  if (stats === undefined || type === undefined) return undefined;
  return {
    path: containerPath,
    type,
    ...deviceNumbers(stats.rdev),
    fileMode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    access: "rwm",
  };
}

function typeOf(stats: BigIntStats): DeviceSettings["type"] | undefined {
  if (stats.isCharacterDevice()) return "c";
  if (stats.isBlockDevice()) return "b";
  return stats.isFIFO() ? "p" : undefined;
}

/** Both numbers are in two parts, since they outgrew their first places. */
export function deviceNumbers(rdev: bigint): { readonly major: number; readonly minor: number } {
  return {
    major: Number(((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & 0xfffff000n)),
    minor: Number((rdev & 0xffn) | ((rdev >> 12n) & 0xffffff00n)),
  };
}
