import { mkdir } from "node:fs/promises";
import { runChild } from "../../../../platform/run-child.ts";
import { mount, mountAt } from "../mounts.ts";

/** A disk that is mounted for all pods of a node. */
export interface DeviceMount {
  readonly device: string;
  readonly target: string;
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly options: readonly string[];
}

/** Mounts a disk, unless it is mounted. A disk that holds nothing is formatted first; one that is read-only never. */
export async function mountDevice(request: DeviceMount): Promise<void> {
  const { device, target, fsType, readOnly, options } = request;
  if (await mountAt(target)) return;
  await mkdir(target, { recursive: true, mode: 0o750 });
  const format = await formatOf(device);
  if (format === "") {
    if (readOnly)
      throw new Error(
        `cannot mount unformatted disk ${device} as we are manipulating it in read-only mode`,
      );
    await run(`mkfs.${fsType}`, [...(formatFlags[fsType] ?? []), device]);
  } else if (!readOnly) await check(device);
  const all = [readOnly ? "ro" : "rw", "defaults", ...options];
  await mount(target, { type: fsType, source: device, options: all });
}

/** What a disk holds; empty only if it is certain that it holds nothing. */
async function formatOf(device: string): Promise<string> {
  const args = ["-p", "-s", "TYPE", "-s", "PTTYPE", "-o", "export", device];
  const { code, stdout, stderr } = await runChild("blkid", args);
  // Nothing was found: neither a file system nor partitions.
  if (code === 2 && stdout.trim() === "") return "";
  if (code !== 0) throw new Error(`could not determine if disk ${device} is formatted: ${stderr}`);
  const values = new Map(
    stdout.split("\n").map((line) => line.split("=", 2) as [string, string | undefined]),
  );
  return values.get("TYPE") ?? values.get("PTTYPE") ?? "unknown data";
}

/** Repairs a file system; faults that need a person prevent the mount. */
async function check(device: string): Promise<void> {
  const { code, stdout } = await runChild("fsck", ["-a", device]);
  if (code === uncorrected)
    throw new Error(
      `'fsck' found errors on device ${device} but could not correct them: ${stdout}.`,
    );
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runChild(program, args);
  if (code !== 0)
    throw new Error(`format of disk failed: ${program} ${args.join(" ")}: ${stdout}${stderr}`);
}

/** Without asking, and without blocks that only root may use. */
const formatFlags: Readonly<Record<string, readonly string[]>> = {
  ext3: ["-F", "-m0"],
  ext4: ["-F", "-m0"],
  xfs: ["-f"],
};

const uncorrected = 4;
