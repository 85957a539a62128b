import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { Check } from "./check.ts";

const systemNamespaces: ReadonlySet<string> = new Set([
  "kube-system",
  "kube-public",
  "kube-node-lease",
]);

const findPods = (
  pods: readonly Pod[] | undefined,
  find: (pod: Pod) => string | false | undefined,
): readonly string[] | undefined =>
  pods
    ?.filter(({ metadata }) => !systemNamespaces.has(metadata.namespace ?? ""))
    .flatMap((pod) => {
      const found = find(pod);
      return found ? [`${pod.metadata.namespace}/${pod.metadata.name} ${found}`] : [];
    });

/** Checks of what runs in the cluster, outside of the namespaces of the system. */
export const workloadChecks: readonly Check[] = [
  {
    id: "pod-security",
    title: "Namespaces have a level of pod security",
    why: "Without one, whoever may create pods there can take over the node with a privileged one.",
    fix: "kubectl label namespace NAME pod-security.kubernetes.io/enforce=baseline",
    severity: "advice",
    look: ({ namespaces }) =>
      namespaces
        ?.filter(
          ({ metadata }) =>
            !systemNamespaces.has(metadata.name ?? "") &&
            metadata.labels?.["pod-security.kubernetes.io/enforce"] === undefined,
        )
        .map(({ metadata }) => `${metadata.name} enforces no level`),
  },
  {
    id: "privileged-pods",
    title: "No container is privileged",
    why: "A privileged container is root on its node.",
    fix: "Add the capabilities that it needs, instead of privileged: true.",
    severity: "advice",
    look: ({ pods }) =>
      findPods(pods, ({ spec }) => {
        const all = [...spec.containers, ...(spec.initContainers ?? [])];
        const names = all.filter(({ securityContext }) => securityContext?.privileged);
        return names.length > 0 && `is privileged: ${names.map(({ name }) => name).join(", ")}`;
      }),
  },
  {
    id: "host-namespaces",
    title: "No pod shares the network, processes or IPC of its node",
    why: "Such a pod sees the traffic or the processes of all others.",
    fix: "Remove hostNetwork, hostPID and hostIPC; publish ports with a service.",
    severity: "advice",
    look: ({ pods }) =>
      findPods(pods, ({ spec }) => {
        const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter(
          (name) => spec[name],
        );
        return shared.length > 0 && `has ${shared.join(", ")}`;
      }),
  },
  {
    id: "host-paths",
    title: "No pod mounts folders of its node",
    why: "A writable folder of the node, such as /etc, is a way to become root there.",
    fix: "Use a claim, or an emptyDir.",
    severity: "advice",
    look: ({ pods }) =>
      findPods(pods, ({ spec }) => {
        const paths = (spec.volumes ?? []).flatMap(({ hostPath }) => hostPath?.path ?? []);
        return paths.length > 0 && `mounts ${paths.join(", ")}`;
      }),
  },
  {
    id: "secrets-in-environment",
    title: "Secrets are mounted, not in the environment",
    why: "The environment of a process is seen by its children, and ends up in error reports.",
    fix: "Mount the secret as a volume.",
    severity: "advice",
    look: ({ pods }) =>
      findPods(pods, ({ spec }) => {
        const names = spec.containers.filter(
          ({ env = [], envFrom = [] }) =>
            env.some(({ valueFrom }) => valueFrom?.secretKeyRef) ||
            envFrom.some(({ secretRef }) => secretRef),
        );
        return (
          names.length > 0 &&
          `has secrets in the environment of ${names.map(({ name }) => name).join(", ")}`
        );
      }),
  },
];
