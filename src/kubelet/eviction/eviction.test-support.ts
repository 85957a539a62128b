import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodUsage } from "./pod-usage.ts";

/** A pod with a container `c`. */
export const podWith = (name: string, spec: object = {}, container: object = {}): Pod =>
  ({
    metadata: { name, namespace: "default", uid: name },
    spec: { containers: [{ name: "c", resources: {}, ...container }], ...spec },
    status: {},
  }) as unknown as Pod;

/** The usage of a pod with a container `c`, in megabytes. */
export const usageWith = ({
  memory = 0,
  root = 0,
  logs = 0,
  volumes = {},
  processes = 0,
}: {
  readonly memory?: number;
  readonly root?: number;
  readonly logs?: number;
  readonly volumes?: Readonly<Record<string, number>>;
  readonly processes?: number;
}): PodUsage => ({
  memoryBytes: memory * mega,
  processes,
  containers: [
    {
      name: "c",
      memoryBytes: memory * mega,
      root: { bytes: root * mega, inodes: root },
      logs: { bytes: logs * mega, inodes: 1 },
    },
  ],
  volumes: Object.entries(volumes).map(([name, size]) => ({
    name,
    bytes: size * mega,
    inodes: size,
  })),
});

const mega = 2 ** 20;
