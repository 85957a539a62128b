import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";

/** Which of its pod's claims a claim was made for. */
export const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

/** The claim that a template makes for a pod; the pod owns it. */
export function claimFromTemplate(
  { metadata: { name = "", namespace, uid = "" } }: Pod,
  claimName: string,
  { spec }: ResourceClaimTemplate,
): Pick<ResourceClaim, "metadata" | "spec"> {
  const { labels, annotations } = spec.metadata ?? {};
  return {
    metadata: {
      generateName: generateNameOf(name, claimName),
      namespace,
      labels,
      annotations: { ...annotations, [podClaimAnnotation]: claimName },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
    },
    spec: spec.spec,
  };
}

/** A name of at most 63 characters, five of which the server adds after this. */
const mostBase = 57;

/** Both names are shortened in proportion, so that neither is lost. */
export function generateNameOf(podName: string, claimName: string): string {
  const base = `${podName}-${claimName}-`;
  if (base.length <= mostBase) return base;
  const part = (text: string): string =>
    text.slice(0, Math.floor((text.length * mostBase) / base.length));
  return `${part(podName)}-${part(claimName)}`;
}
