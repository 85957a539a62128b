import { kubeletClientFault, kubeletServingFault } from "../../api/certificates/kubelet-request.ts";
import { type KubernetesSigner, signers } from "../../api/certificates/signers.ts";
import type { CertificateRequest } from "../../api/certificates/x509/certificate-request.ts";

type Rule = (
  request: Pick<CertificateRequest, "subject" | "names">,
  usages: readonly string[],
) => string | undefined;

const rules: Readonly<Record<KubernetesSigner, Rule>> = {
  [signers.kubeletServing]: kubeletServingFault,
  [signers.kubeletClient]: kubeletClientFault,
  [signers.client]: (_, usages) => clientUsagesFault(usages),
  // It has signed anything ever since.
  [signers.legacy]: () => undefined,
};

/** Why a signer does not sign a request; undefined if it does. */
export const signerFault = (signer: KubernetesSigner, ...[request, usages]: Parameters<Rule>) =>
  rules[signer](request, usages);

/** Whether a name is that of a signer of Kubernetes. */
export const isKubernetesSigner = (name: string): name is KubernetesSigner =>
  Object.hasOwn(rules, name);

const clientAuth = "client auth";
const clientUsages = ["digital signature", "key encipherment", clientAuth];

function clientUsagesFault(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !clientUsages.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes(clientAuth)
    ? undefined
    : `missing required usage for client certificate: ${clientAuth}`;
}
