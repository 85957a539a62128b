import { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import { ServiceAccount } from "../../../api/core/v1/service-account.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { resourceNameFault } from "../../../schema/values/names.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf } from "../typed-attributes.ts";
import { isPod, type PodDraft, podOf } from "./pod.ts";
import {
  limitsSecrets,
  unlistedEphemeralSecret,
  unlistedSecret,
  usesSecrets,
} from "./secret-references.ts";

const mirror = "kubernetes.io/config.mirror";
const volumePrefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Every pod runs as a service account, and has its token mounted where clients expect it. */
export function serviceAccount({
  reader,
  environment,
}: Pick<PluginSetup, "reader" | "environment">): AdmissionPlugin {
  const accountOf = async (
    name: string,
    attributes: Attributes | Attributes<ObjectDraft>,
  ): Promise<ServiceAccount> => {
    const { namespace } = attributes.address;
    const found = await reader.getCachedFirst(ServiceAccount, { namespace, name });
    if (!found)
      throw rejection(
        attributes,
        `error looking up service account ${namespace}/${name}: ${resourceNameFault(name) ?? `serviceaccount "${name}" not found`}`,
      );
    return found;
  };
  return {
    name: "ServiceAccount",
    operations: ["CREATE", "UPDATE"],
    resources: ["/pods", "/pods/ephemeralcontainers"],

    async admit(attributes) {
      const pod = podOf(attributes);
      if (!pod || attributes.operation !== "CREATE") return;
      if (pod.metadata.annotations?.[mirror] !== undefined) {
        refuseReferences(pod, (why) => rejection(attributes, why));
        return;
      }
      const { spec } = pod;
      spec.serviceAccountName ||= "default";
      spec.serviceAccount = spec.serviceAccountName;
      const account = await accountOf(spec.serviceAccountName, attributes);
      const automount =
        spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
      if (automount) mountToken(pod, () => volumePrefix + environment.entropy.suffix(5));
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name: secret }) => ({
          name: secret,
        }));
      const problem = limitsSecrets(account) && unlistedSecret(spec as PodSpec, account);
      if (problem) throw rejection(attributes, problem);
    },

    async validate(attributes) {
      const { operation, subresource, address } = attributes;
      if (!isPod(attributes) || operation !== "UPDATE" || subresource !== "ephemeralcontainers")
        return;
      const { spec } = objectOf(Pod, attributes);
      if (!spec.serviceAccountName)
        throw rejection(
          attributes,
          `no service account specified for pod ${address.namespace}/${address.name}`,
        );
      const account = await accountOf(spec.serviceAccountName, attributes);
      const problem = limitsSecrets(account) && unlistedEphemeralSecret(spec, account);
      // Upstream's error has no reason.
      if (problem) throw new StatusError("", problem);
    },
  };
}

function refuseReferences({ spec }: PodDraft, refused: (why: string) => Error): void {
  if (spec.serviceAccountName) throw refused("a mirror pod may not reference service accounts");
  if (usesSecrets(spec as PodSpec)) throw refused("a mirror pod may not reference secrets");
  for (const { projected } of spec.volumes ?? []) {
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
