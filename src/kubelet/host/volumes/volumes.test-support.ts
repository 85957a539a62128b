import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, readlink, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { noLog } from "../../../base/log.ts";
import type { ContainerMount } from "../../../cri/linux-types.ts";
import type { Cluster } from "../../../testing/cluster.ts";
import { startCluster } from "../../../testing/start-cluster.ts";
import { watchReferences } from "../../pod/watched-references.ts";
import { mountsBelow } from "./mounts.ts";
import { openPodVolumes, type PodVolumes, type PodVolumesOptions } from "./pod-volumes.ts";

/** The volumes of a node in a temporary folder, with a real API server. */
export interface VolumesWorld {
  readonly cluster: Cluster;
  readonly root: string;
  readonly volumes: PodVolumes;
  /** `REASON: message` of each event that was recorded. */
  readonly events: string[];
  /** The pods that were reported as changed. */
  readonly changed: string[];
  /** Creates a pod with one container, which mounts all volumes at `/NAME`. */
  pod(volumes: readonly object[], spec?: object, container?: object): Promise<Pod>;
  /** Sets up a pod; resolves with the paths of its mounts by volume. */
  setUp(pod: Pod): Promise<Readonly<Record<string, string>>>;
  mounts(pod: Pod, env?: Readonly<Record<string, string>>): Promise<readonly ContainerMount[]>;
  /** The mount points below the root. */
  mounted(): Promise<readonly string[]>;
  /** What a new process would open after this one was killed. */
  reopen(): Promise<PodVolumes>;
}

/** What tests set of volumes; it may depend on the cluster and the folder, and is asked for with each opening. */
type Settings =
  | Partial<PodVolumesOptions>
  | ((
      made: Pick<VolumesWorld, "cluster" | "root" | "events" | "changed">,
    ) => Promise<Partial<PodVolumesOptions>>);

export async function openVolumes(settings: Settings = {}): Promise<VolumesWorld> {
  const cluster = await startCluster({ namespace: "default" });
  const root = await mkdtemp(join(tmpdir(), "wherry-volumes-"));
  const events: string[] = [];
  const changed: string[] = [];
  const { client, clock, random } = cluster;
  const log = noLog;
  const tell = (podUid: string): void => void changed.push(podUid);
  const references = watchReferences({ client, clock, random, log, changed: tell });
  const open = async (): Promise<PodVolumes> =>
    openPodVolumes({
      ...{ rootDir: root, client, references, clock, random, log, changed: tell },
      node: () => undefined,
      record: (_, { reason, message }) => void events.push(`${reason}: ${message}`),
      ...(typeof settings === "function"
        ? await settings({ cluster, root, events, changed })
        : settings),
    });
  const volumes = await open();
  onTestFinished(async () => {
    await volumes.close();
    references.close();
    await cluster.close();
    for (const { mountpoint } of await mountsBelow(root)) spawnSync("umount", [mountpoint]);
    spawnSync("rm", ["-rf", "--one-file-system", root]);
  });
  const mounts = (pod: Pod, env: Readonly<Record<string, string>> = {}) => {
    const [container] = pod.spec.containers ?? [];
    if (!container) throw new Error("no container");
    const vars = Object.entries(env).map(([name, value]) => ({ name, value }));
    return volumes.mounts(pod, container, { env: vars, canBeRecursivelyReadOnly: true });
  };
  return {
    cluster,
    root,
    volumes,
    events,
    changed,
    mounts,
    pod: (list, spec = {}, container = {}) =>
      client.create(Pod, {
        metadata: { generateName: "pod-", labels: { app: "web", tier: "b" } },
        spec: {
          nodeName: "node-1",
          automountServiceAccountToken: false,
          containers: [
            {
              name: "c",
              image: "nginx",
              volumeMounts: list.map((one) => {
                const { name } = one as { name: string };
                return { name, mountPath: `/${name}` };
              }),
              ...container,
            },
          ],
          volumes: list,
          ...spec,
        },
      } as never),
    async setUp(pod) {
      await volumes.setUp(pod, { isStarting: true });
      const list = await mounts(pod);
      return Object.fromEntries(
        list.map(({ containerPath, hostPath }) => [containerPath.slice(1), hostPath]),
      );
    },
    mounted: async () => (await mountsBelow(root)).map(({ mountpoint }) => mountpoint),
    reopen: open,
  };
}

/** The files of a volume as a container sees them: mode, owner, group and content by path. */
export async function filesIn(
  folder: string,
): Promise<Readonly<Record<string, readonly [mode: string, owner: string, text: string]>>> {
  const found: [string, readonly [string, string, string]][] = [];
  const visit = async (path: string): Promise<void> => {
    for (const name of await readdir(join(folder, path))) {
      if (name.startsWith("..")) continue;
      const at = join(path, name);
      const { mode, uid, gid, ...stats } = await stat(join(folder, at));
      if ((mode & 0o170000) === 0o040000) await visit(at);
      else if (stats.size >= 0)
        found.push([
          at,
          [(mode & 0o7777).toString(8), `${uid}:${gid}`, await readFile(join(folder, at), "utf8")],
        ]);
    }
  };
  await visit("");
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The folder that the visible files of a volume are in. */
export const dataFolder = (folder: string): Promise<string> => readlink(join(folder, "..data"));
