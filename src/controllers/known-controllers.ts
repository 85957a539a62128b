/** A controller that `--controllers` accepts, implemented or not. */
export interface KnownController {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Whether it runs only if `--controllers` names it. */
  readonly isOffByDefault: boolean;
}

/** Our own controllers; without being named, they run in `wherry server` only. */
const ownControllers: readonly KnownController[] = [
  known("cluster-dns-endpoints-controller", undefined, { isOffByDefault: true }),
  known("kubelet-serving-approving-controller", undefined, { isOffByDefault: true }),
  known("local-volume-provisioner-controller", undefined, { isOffByDefault: true }),
];

/** All controllers of kube-controller-manager v1.36, sorted by name. */
export const upstreamControllers: readonly KnownController[] = [
  known("bootstrap-signer-controller", "bootstrapsigner", { isOffByDefault: true }),
  known("certificatesigningrequest-approving-controller", "csrapproving"),
  known("certificatesigningrequest-cleaner-controller", "csrcleaner"),
  known("certificatesigningrequest-signing-controller", "csrsigning"),
  known("cloud-node-lifecycle-controller", "cloud-node-lifecycle"),
  known("clusterrole-aggregation-controller", "clusterrole-aggregation"),
  known("cronjob-controller", "cronjob"),
  known("daemonset-controller", "daemonset"),
  known("deployment-controller", "deployment"),
  known("device-taint-eviction-controller"),
  known("disruption-controller", "disruption"),
  known("endpoints-controller", "endpoint"),
  known("endpointslice-controller", "endpointslice"),
  known("endpointslice-mirroring-controller", "endpointslicemirroring"),
  known("ephemeral-volume-controller", "ephemeral-volume"),
  known("garbage-collector-controller", "garbagecollector"),
  known("horizontal-pod-autoscaler-controller", "horizontalpodautoscaling"),
  known("job-controller", "job"),
  known("kube-apiserver-serving-clustertrustbundle-publisher-controller"),
  known("legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner"),
  known("namespace-controller", "namespace"),
  known("node-ipam-controller", "nodeipam"),
  known("node-lifecycle-controller", "nodelifecycle"),
  known("node-route-controller", "route"),
  known("persistentvolume-attach-detach-controller", "attachdetach"),
  known("persistentvolume-binder-controller", "persistentvolume-binder"),
  known("persistentvolume-expander-controller", "persistentvolume-expander"),
  known("persistentvolume-protection-controller", "pv-protection"),
  known("persistentvolumeclaim-protection-controller", "pvc-protection"),
  known("pod-garbage-collector-controller", "podgc"),
  known("podcertificaterequest-cleaner-controller"),
  known("podgroup-protection-controller"),
  known("replicaset-controller", "replicaset"),
  known("replicationcontroller-controller", "replicationcontroller"),
  known("resourceclaim-controller", "resource-claim-controller"),
  known("resourcepoolstatusrequest-controller"),
  known("resourcequota-controller", "resourcequota"),
  known("root-ca-certificate-publisher-controller", "root-ca-cert-publisher"),
  known("selinux-warning-controller", undefined, { isOffByDefault: true }),
  known("service-cidr-controller"),
  known("service-lb-controller", "service"),
  known("serviceaccount-controller", "serviceaccount"),
  known("serviceaccount-token-controller", "serviceaccount-token"),
  known("statefulset-controller", "statefulset"),
  known("storage-version-migrator-controller", "svm"),
  known("storageversion-garbage-collector-controller", "storage-version-gc"),
  known("taint-eviction-controller"),
  known("token-cleaner-controller", "tokencleaner", { isOffByDefault: true }),
  known("ttl-after-finished-controller", "ttl-after-finished"),
  known("ttl-controller", "ttl"),
  known("validatingadmissionpolicy-status-controller"),
  known("volumeattributesclass-protection-controller"),
];

/** All controllers that `--controllers` accepts. */
export const knownControllers: readonly KnownController[] = [
  ...upstreamControllers,
  ...ownControllers,
];

/** The errors in a list of controllers, in upstream's words. */
export function controllerListProblems(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const name = word.replace(/^-/, "");
    const isKnown = word === "*" || canonicalName(name) !== undefined;
    return isKnown ? [] : [`"${name}" is not in the list of known controllers`];
  });
}

/** The current name of a controller, by any of its names. */
export const canonicalName = (name: string): string | undefined =>
  knownControllers.find((one) => one.name === name || one.aliases.includes(name))?.name;

function known(
  name: string,
  alias?: string,
  { isOffByDefault = false }: { readonly isOffByDefault?: boolean } = {},
): KnownController {
  return { name, aliases: alias === undefined ? [] : [alias], isOffByDefault };
}
