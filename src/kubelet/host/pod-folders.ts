import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerMount } from "../../cri/linux-types.ts";
import type { ContainerStatus } from "../../cri/runtime-types.ts";

/** The annotation of a container that says where it writes its termination message. */
const terminationMessagePathAnnotation = "io.kubernetes.container.terminationMessagePath";

/** The folders of pods below the root directory of a kubelet, laid out as upstream's. */
export class PodFolders {
  readonly #root: string;

  constructor(rootDir: string) {
    this.#root = join(rootDir, "pods");
  }

  /** The folder of a pod. */
  of(podUid: string): string {
    return join(this.#root, podUid);
  }

  async create(podUid: string): Promise<void> {
    await mkdir(join(this.of(podUid), "volumes"), { recursive: true, mode: 0o750 });
    await mkdir(join(this.of(podUid), "plugins"), { recursive: true, mode: 0o750 });
  }

  async uids(): Promise<readonly string[]> {
    return readdir(this.#root).catch(() => []);
  }

  /** Removes the folder of a pod; its volumes must be unmounted. */
  async remove(podUid: string): Promise<void> {
    await rm(this.of(podUid), { recursive: true, force: true });
  }

  /** Creates the file that a container writes its termination message to. */
  async terminationMount(
    podUid: string,
    container: string,
    containerPath: string,
  ): Promise<ContainerMount> {
    const folder = join(this.of(podUid), "containers", container);
    await mkdir(folder, { recursive: true, mode: 0o750 });
    const hostPath = join(folder, randomBytes(4).toString("hex"));
    // Any user of the container may write to it.
    await writeFile(hostPath, "", { flag: "wx" });
    const file = await open(hostPath);
    await file.chmod(0o666).finally(() => file.close());
    return { containerPath, hostPath };
  }
}

/** Reads the termination message of a container; undefined if it has no file for it. */
export async function readTerminationMessage({
  annotations,
  mounts = [],
}: ContainerStatus): Promise<string | undefined> {
  const path = annotations[terminationMessagePathAnnotation];
  const mount = mounts.find(({ containerPath }) => containerPath === path);
  if (path === undefined || !mount) return undefined;
  try {
    const file = await open(mount.hostPath);
    try {
      const { size } = await file.stat();
      const from = Math.max(0, size - mostBytes);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, from);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}

/** The end of a longer message is kept. */
const mostBytes = 4096;
