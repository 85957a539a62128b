import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import type { ServiceAccountTokens } from "../content/service-account-tokens.ts";
import type { CsiVolume } from "./csi-volume.ts";

type Texts = Readonly<Record<string, string>>;

/** What a driver is told of the pod that a volume is mounted for, if it wants to know. */
export function podAttributes(
  { metadata, spec }: Pod,
  { lifecycle }: CsiVolume,
  driver: CSIDriver | undefined,
): Texts {
  if (!driver?.spec.podInfoOnMount) return {};
  return {
    "csi.storage.k8s.io/pod.name": metadata.name ?? "",
    "csi.storage.k8s.io/pod.namespace": metadata.namespace ?? "",
    "csi.storage.k8s.io/pod.uid": metadata.uid ?? "",
    "csi.storage.k8s.io/serviceAccount.name": spec.serviceAccountName ?? "",
    "csi.storage.k8s.io/ephemeral": String(lifecycle === "Ephemeral"),
  };
}

/** The tokens of the pod's service account that a driver wants, by audience. */
export async function tokenAttributes(
  pod: Pod,
  driver: CSIDriver | undefined,
  tokens: ServiceAccountTokens,
): Promise<Texts> {
  const requests = driver?.spec.tokenRequests ?? [];
  if (requests.length === 0) return {};
  const statuses: [string, object][] = [];
  for (const { audience, expirationSeconds = usualSeconds } of requests) {
    const { token, expirationTimestamp } = await tokens.get(pod, { audience, expirationSeconds });
    statuses.push([audience, { token, expirationTimestamp }]);
  }
  statuses.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(statuses));
  return { "csi.storage.k8s.io/serviceAccount.tokens": text };
}

const usualSeconds = 3600;
