import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fnv32a } from "../../base/hashes/fnv32a.ts";
import { writePrivateFile } from "../../platform/files.ts";
import type {
  AllocationStore,
  PodResources,
  ResourceState,
} from "../pod/resize/allocation-store.ts";

/** Opens the files in which a kubelet keeps the resources of pods: upstream's, in the kubelet's root folder. */
export async function openAllocationFiles(rootDir: string): Promise<AllocationStore> {
  return {
    allocated: await openState(join(rootDir, "allocated_pods_state")),
    actuated: await openState(join(rootDir, "actuated_pods_state")),
  };
}

async function openState(path: string): Promise<ResourceState> {
  const pods = await readPods(path);
  let writing: Promise<void> = Promise.resolve();
  let isPending = false;
  /** Simultaneous changes share one write. */
  const write = (): Promise<void> => {
    if (isPending) return writing;
    isPending = true;
    const written = writing
      .catch(() => {})
      .then(() => {
        isPending = false;
        return writePrivateFile(path, fileText(pods));
      });
    writing = written;
    return written;
  };
  return {
    get: (podUid) => pods.get(podUid),
    async set(podUid, resources) {
      pods.set(podUid, resources);
      await write();
    },
    // A pod too many in the file does no harm: the next write leaves it out.
    remove: (podUid) => void pods.delete(podUid),
    retain(podUids) {
      for (const podUid of pods.keys()) if (!podUids.has(podUid)) pods.delete(podUid);
    },
  };
}

interface Entry {
  readonly ContainerResources?: PodResources["containers"] | null;
  readonly PodLevelResources?: PodResources["pod"] | null;
}

async function readPods(path: string): Promise<Map<string, PodResources>> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  try {
    const { data, checksum } = JSON.parse(text) as { data: string; checksum: number };
    if (checksumOf(data) !== checksum) throw new Error("checkpoint is corrupted");
    const { entries = {} } = JSON.parse(data) as { entries?: Readonly<Record<string, Entry>> };
    return new Map(
      Object.entries(entries).map(([uid, { ContainerResources, PodLevelResources }]) => [
        uid,
        { pod: PodLevelResources ?? undefined, containers: ContainerResources ?? {} },
      ]),
    );
  } catch (cause) {
    throw new Error(
      `could not restore state from checkpoint, please drain this node and delete pod resource information checkpoint file ${JSON.stringify(path)} before restarting Kubelet`,
      { cause },
    );
  }
}

function fileText(pods: ReadonlyMap<string, PodResources>): string {
  const entries = Object.fromEntries(
    [...pods].map(([uid, { pod, containers }]): [string, Entry] => [
      uid,
      { ContainerResources: containers, PodLevelResources: pod ?? null },
    ]),
  );
  const data = JSON.stringify({ entries });
  return JSON.stringify({ data, checksum: checksumOf(data) });
}

/** Upstream hashes the text in which Go prints the data. */
const checksumOf = (data: string): number => fnv32a(new TextEncoder().encode(`(string)${data}`));
