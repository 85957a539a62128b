import type { CertificateRequest } from "./x509/certificate-request.ts";
import { commonNameOf, organizationsOf } from "./x509/subject.ts";

/** The group of nodes, which kubelets' certificates have as their only organization. */
export const nodesGroup = "system:nodes";
/** What the user names of nodes begin with. */
export const nodeUserPrefix = "system:node:";

/** The parts of a request that its rules are about. */
type RequestContent = Pick<CertificateRequest, "subject" | "names">;

/** Why a request is not one for the client certificate of a kubelet; undefined if it is. */
export function kubeletClientFault(
  { subject, names }: RequestContent,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(subject)) return notOfNodes;
  if (names.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (names.emailAddresses.length > 0) return noEmail;
  if (names.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (names.uris.length > 0) return noUri;
  return nameFault(subject) ?? usagesFault(usages, "client auth");
}

/** Why a request is not one for the serving certificate of a kubelet; undefined if it is. */
export function kubeletServingFault(
  { subject, names }: RequestContent,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(subject)) return notOfNodes;
  if (names.dnsNames.length + names.ipAddresses.length === 0)
    return "DNS or IP subjectAltName is required";
  if (names.emailAddresses.length > 0) return noEmail;
  if (names.uris.length > 0) return noUri;
  return usagesFault(usages, "server auth") ?? nameFault(subject);
}

const notOfNodes = "subject organization is not system:nodes";
const noEmail = "Email subjectAltNames are not allowed";
const noUri = "URI subjectAltNames are not allowed";

type Subject = CertificateRequest["subject"];

function isOfNodes(subject: Subject): boolean {
  const organizations = organizationsOf(subject);
  return organizations.length === 1 && organizations[0] === nodesGroup;
}

const nameFault = (subject: Subject): string | undefined =>
  commonNameOf(subject).startsWith(nodeUserPrefix)
    ? undefined
    : "subject common name does not begin with system:node:";

/** Only RSA keys encipher other keys, so that this usage is optional. */
function usagesFault(usages: readonly string[], purpose: string): string | undefined {
  const given = new Set(usages);
  const fewest = ["digital signature", purpose];
  const all = [...fewest, "key encipherment"].sort();
  const matches = [fewest, all].some(
    (allowed) => allowed.length === given.size && allowed.every((usage) => given.has(usage)),
  );
  return matches ? undefined : `usages did not match [${all.join(" ")}]`;
}
