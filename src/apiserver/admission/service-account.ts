import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { forbidden } from "../../api/meta/v1/status-error.ts";
import { find, resourceName } from "../registry.ts";
import type { Resources } from "../resources.ts";
import type { AdmissionPlugin } from "./admission.ts";
import type { Cluster } from "./plugins.ts";
import { type PodDraft, podOf } from "./pod.ts";

const mirror = "kubernetes.io/config.mirror";
const volumePrefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Every pod runs as a service account, and finds its token where clients look for it. */
export function serviceAccount(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "ServiceAccount",

    async admit(attributes) {
      const pod = podOf(attributes);
      if (!pod || attributes.operation !== "CREATE") return;
      const { address } = attributes;
      if (pod.metadata.annotations?.[mirror] !== undefined) {
        refuseReferences(pod, (why) => forbidden(resourceName(address), why));
        return;
      }
      const { spec } = pod;
      spec.serviceAccountName ||= "default";
      spec.serviceAccount = spec.serviceAccountName;
      const { namespace } = address;
      const kind = resources.find("", "v1", "serviceaccounts");
      const name = spec.serviceAccountName;
      const found = kind && (await find(cluster(), { kind, namespace, name }));
      if (!found)
        throw forbidden(
          resourceName(address),
          `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
        );
      const account = found.object as unknown as ServiceAccount;
      const automount =
        spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
      if (automount) mountToken(pod, () => volumePrefix + cluster().entropy.suffix(5));
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name: secret }) => ({
          name: secret,
        }));
    },
  };
}

function refuseReferences({ spec }: PodDraft, refused: (why: string) => Error): void {
  if (spec.serviceAccountName) throw refused("a mirror pod may not reference service accounts");
  for (const { secret, projected } of spec.volumes ?? []) {
    if (secret) throw refused("a mirror pod may not reference secrets");
    if (projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken))
      throw refused("a mirror pod may not use ServiceAccountToken volume projections");
  }
}

/** Mounts the token in every container that has nothing else at its place. */
function mountToken({ spec }: PodDraft, newName: () => string): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix));
  const name = existing?.name ?? newName();
  let needed = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue;
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name, readOnly: true, mountPath },
    ];
    needed = true;
  }
  if (existing || !needed) return;
  spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenSources() }];
}

const tokenSources = () => ({
  defaultMode: 420,
  sources: [
    { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: {
        items: [
          { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
        ],
      },
    },
  ],
});
