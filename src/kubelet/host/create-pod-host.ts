import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodHost } from "../pod/pod-host.ts";
import {
  PodFolders,
  readTerminationMessage,
  terminationMessagePathAnnotation,
} from "./pod-folders.ts";

export interface PodHostOptions {
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  /** The folder of the logs of all pods. */
  readonly podLogsDir: string;
}

/** Provides cgroups, folders and volumes of a Linux machine to pods. */
export function createPodHost({ rootDir, podLogsDir }: PodHostOptions): PodHost {
  const folders = new PodFolders(rootDir);
  const logDirectory = ({ metadata: { namespace, name, uid } }: Pod): string =>
    join(podLogsDir, `${namespace}_${name}_${uid}`);
  return {
    async setUp({ metadata: { uid = "" } }) {
      await folders.create(uid);
    },
    sandbox: async (config, pod) => ({ ...config, logDirectory: logDirectory(pod) }),
    async container(config, { pod }) {
      const { metadata, terminationMessagePath: path, annotations, mounts = [] } = config;
      const { uid = "" } = pod.metadata;
      const message = await folders.terminationMount(uid, metadata.name, path);
      return {
        ...config,
        logPath: join(metadata.name, `${metadata.attempt}.log`),
        annotations: { ...annotations, [terminationMessagePathAnnotation]: path },
        mounts: [...mounts, message],
      };
    },
    terminationMessage: readTerminationMessage,
    tearDown: async () => {},
    async remove(podUid) {
      await folders.remove(podUid);
      const logs = (await readdir(podLogsDir)).filter((name) => name.endsWith(`_${podUid}`));
      for (const name of logs) await rm(join(podLogsDir, name), { recursive: true, force: true });
    },
    podUids: () => folders.uids(),
  };
}
