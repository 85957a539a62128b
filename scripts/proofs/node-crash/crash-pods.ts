import type { Random } from "../../../src/base/random.ts";
import { below } from "../engine-crash-pod.ts";
import { crashImage, journalPath } from "./crash-cluster.ts";

/** A pod, and what must become of it. */
export interface CrashPod {
  readonly name: string;
  readonly spec: object;
  readonly isHeld: boolean;
  /** How it ends by itself; absent for a pod that is deleted while it is ready. */
  readonly end?: {
    readonly phase: "Succeeded" | "Failed";
    readonly exitCode: number;
    /** The lines of the log of its container `main`. */
    readonly lines?: number;
  };
  /** How often each container must have started when the pod is done; those that are absent at least once. */
  readonly starts: Readonly<Record<string, number>>;
  /** The restarts to wait for, before it is deleted. */
  readonly restarts?: number;
  /** Whether it is deleted at any time, ready or not. */
  readonly isHasty?: boolean;
  /** Whether a hook runs before its container `main` is stopped. */
  readonly hasPreStop?: boolean | undefined;
}

/** A pod of a random sort. */
export function randomPod(name: string, random: Random): CrashPod {
  const sort = sorts[below(sorts.length, random)] as Sort;
  const pod = sort(name, random);
  const hostNetwork = below(4, random) === 0;
  const shareProcessNamespace = below(4, random) === 0;
  const isHeld = below(3, random) === 0;
  return { ...pod, isHeld, spec: { ...pod.spec, hostNetwork, shareProcessNamespace } };
}

type Sort = (name: string, random: Random) => Omit<CrashPod, "isHeld">;

/** Runs once, and ends with an exit code. */
const job: Sort = (name, random) => {
  const exitCode = below(2, random) * below(200, random);
  const lines = 1 + below(100, random);
  const body = `i=0; while [ $i -lt ${lines} ]; do echo line $i; i=$((i+1)); done; sleep ${seconds(3, random)}; exit ${exitCode}`;
  return {
    ...{ name, starts: { main: 1 } },
    end: { phase: exitCode === 0 ? "Succeeded" : "Failed", exitCode, lines },
    spec: podSpec({
      ...{ restartPolicy: "Never", containers: [container(name, "main", body)] },
    }),
  };
};

/** Fails once, and succeeds when it is started again. */
const retriedJob: Sort = (name, random) => {
  const body = `if [ -e /scratch/tried ]; then exit 0; fi; : > /scratch/tried; sleep ${seconds(2, random)}; exit 7`;
  return {
    ...{ name, end: { phase: "Succeeded", exitCode: 0 }, starts: { main: 2 } },
    spec: podSpec({
      ...{ restartPolicy: "OnFailure", containers: [container(name, "main", body)] },
    }),
  };
};

/** A job with an init container and a sidecar, which ends after it. */
const jobWithSidecar: Sort = (name, random) => {
  const exitCode = below(2, random) * 3;
  const body = `test -e /scratch/prepared || exit 99; sleep ${seconds(3, random)}; exit ${exitCode}`;
  return {
    ...{ name, starts: { prepare: 1, main: 1, sidecar: 1 } },
    end: { phase: exitCode === 0 ? "Succeeded" : "Failed", exitCode },
    spec: podSpec({
      restartPolicy: "Never",
      initContainers: [
        container(name, "prepare", `sleep ${seconds(1, random)}; : > /scratch/prepared`),
        { ...container(name, "sidecar", untilStopped), restartPolicy: "Always" },
      ],
      containers: [container(name, "main", body)],
    }),
  };
};

/** Serves until it is deleted; all kinds of volumes, probes and hooks. */
const service: Sort = (name, random) => ({
  ...{ name, starts: { main: 1 }, hasPreStop: true },
  spec: podSpec({
    containers: [{ ...container(name, "main", untilStopped), ...probed(name, random) }],
  }),
});

const hastyService: Sort = (name, random) => ({ ...service(name, random), isHasty: true });

/** Fails its liveness probe some time after each start. */
const sickService: Sort = (name, random) => ({
  ...{ name, starts: {}, restarts: 1 },
  spec: podSpec({
    containers: [
      {
        ...container(
          name,
          "main",
          `: > /tmp/well; sleep 2 & wait $!; rm /tmp/well; ${untilStopped}`,
        ),
        livenessProbe: {
          ...{ exec: { command: ["test", "-e", "/tmp/well"] }, periodSeconds: 1 },
          ...{ failureThreshold: 1 + below(2, random), timeoutSeconds: 20, initialDelaySeconds: 1 },
        },
      },
    ],
  }),
});

const sorts: readonly Sort[] = [
  ...[job, job, retriedJob, jobWithSidecar, service, service, hastyService, sickService],
];

/** A pod that lives as long as the run, counts in its log, and shows how old its secret and its config map are. */
export const keeper = (name: string): CrashPod => ({
  ...{ name, starts: { main: 1 }, isHeld: false },
  spec: podSpec({
    containers: [
      container(
        name,
        "main",
        `
i=0
while :; do
  echo line $i
  i=$((i+1))
  for one in secret config projected/secret; do echo $(cat /$one/version) $one; done > /journal/.${name}
  mv /journal/.${name} /journal/${name}.seen
  sleep 0.5 & wait $!
done`,
      ),
    ],
  }),
});

const seconds = (most: number, random: Random): string => (random.next() * most).toFixed(2);

const untilStopped = "while :; do sleep 1000 & wait $!; done";

const container = (pod: string, name: string, body: string) => ({
  ...{ name, image: crashImage, command: ["sh", "-c", `${introduction(pod, name)}\n${body}`] },
  volumeMounts: [...mounts, { name: "scratch", mountPath: "/part", subPath: "part" }],
});

/**
 * The port at which a container serves. Another container of the pod of the same name cannot serve there at the same
 * time, nor can one of another pod in the node's network.
 */
const portOf = (pod: string, container: string): number =>
  20_000 + ((Number(/\d+$/.exec(pod)?.[0]) * 3 + containerNames.indexOf(container)) % 12_000);

const containerNames = ["main", "sidecar", "prepare"];

/** Has a container say that it runs, whether another of its name does, and whether it is the first of its pod. */
const introduction = (pod: string, name: string): string => `
id=$(sed -n 's,.*upperdir=[^ ]*snapshots/\\([0-9a-f]*\\)/.*,\\1,p' /proc/self/mountinfo | head -n1)
say() { echo "${name} $id $*" >> /journal/${pod}; }
trap 'say term; exit 0' TERM
say start
httpd -p ${portOf(pod, name)} -h /scratch 2>/dev/null || say overlap
[ -e /scratch/${name}.first ] || { : > /scratch/${name}.first; say first; }
for one in secret config projected/secret; do [ -s /$one/version ] || say missing $one; done`;

const say = (pod: string, what: string) => ({
  exec: { command: ["sh", "-c", `echo "main hook ${what}" >> /journal/${pod}`] },
});

function probed(name: string, random: Random): object {
  const often = { periodSeconds: 1, timeoutSeconds: 20 };
  const hook = below(2, random) === 0;
  return {
    startupProbe: {
      ...often,
      exec: { command: ["test", "-e", "/scratch/main.first"] },
      failureThreshold: 30,
    },
    livenessProbe: { ...often, tcpSocket: { port: portOf(name, "main") } },
    readinessProbe: { ...often, httpGet: { path: "/main.first", port: portOf(name, "main") } },
    resources: below(2, random) === 0 ? {} : { limits: { memory: "64Mi", cpu: "200m" } },
    lifecycle: {
      preStop: say(name, "preStop"),
      ...(hook && { postStart: say(name, "postStart") }),
    },
  };
}

const volumeNames = ["scratch", "journal", "secret", "config", "projected"] as const;
const mounts = volumeNames.map((name) => ({ name, mountPath: `/${name}` }));

const podSpec = (spec: object): object => ({
  ...{ terminationGracePeriodSeconds: 20, ...spec },
  volumes: [
    { name: "scratch", emptyDir: {} },
    { name: "journal", hostPath: { path: journalPath, type: "DirectoryOrCreate" } },
    { name: "secret", secret: { secretName: "crash" } },
    { name: "config", configMap: { name: "crash" } },
    {
      name: "projected",
      projected: {
        sources: [
          { secret: { name: "crash", items: [{ key: "version", path: "secret/version" }] } },
          { serviceAccountToken: { path: "token", expirationSeconds: 3600 } },
          { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
        ],
      },
    },
  ],
});
