import { PodCertificateRequest } from "../../../api/certificates/v1beta1/pod-certificate-request.ts";
import type { PodCertificateRequestSpec } from "../../../api/certificates/v1beta1/pod-certificate-request-spec.ts";
import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../../api/core/v1/pod/pod-annotations.ts";
import { ServiceAccount } from "../../../api/core/v1/service-account.ts";
import { notFound, StatusError } from "../../../api/meta/v1/status-error.ts";
import { quote } from "../../../schema/values/quote.ts";
import { objectOf } from "../typed-attributes.ts";
import type { NodeRule, NodeRuleSetup } from "./node-restriction.ts";

/** A node may request certificates for its pods, with the names and UIDs that they have. */
export const podCertificates: NodeRule = async ({ node, attributes, setup }) => {
  if (!setup.environment.features?.has("PodCertificateRequest"))
    return "PodCertificateRequest feature gate is disabled";
  const { operation, subresource, address } = attributes;
  if (operation !== "CREATE") return `unexpected operation ${operation}`;
  if (subresource !== "") return `unexpected subresource ${subresource}`;
  const { spec } = objectOf(PodCertificateRequest, attributes);
  if (spec.nodeName !== node)
    return `PodCertificateRequest.Spec.NodeName=${quote(spec.nodeName)}, which is not the requesting node ${quote(node)}`;
  const { namespace } = address;
  const request: Request = { ...spec, namespace, pod: quote(`${namespace}/${spec.podName}`) };
  await checkNode(request, setup);
  return (await podFault(request, setup)) ?? (await checkAccount(request, setup));
};

interface Request extends PodCertificateRequestSpec {
  readonly namespace: string;
  /** Its pod, as messages show it. */
  readonly pod: string;
}

async function checkNode(request: Request, { reader }: NodeRuleSetup): Promise<void> {
  const { nodeName: name, nodeUID, pod } = request;
  const uid = (await reader.getCachedFirst(Node, { name }))?.metadata.uid;
  if (uid === undefined) throw missing("node", quote(name), name);
  if (uid !== nodeUID)
    throw perhapsLater(
      `PodCertificateRequest for pod ${pod} names node UID ${quote(nodeUID)}, inconsistent with the running node (${quote(uid)})`,
    );
}

async function podFault(request: Request, { reader }: NodeRuleSetup): Promise<string | undefined> {
  const { namespace, podName: name, podUID, nodeName, serviceAccountName, pod } = request;
  const stored = await reader.getCachedFirst(Pod, { namespace, name });
  if (!stored) throw missing("pod", pod, name);
  const { metadata, spec } = stored;
  if (metadata.uid !== podUID)
    throw perhapsLater(
      `PodCertificateRequest for pod ${pod} contains pod UID (${quote(podUID)}) which differs from running pod ${quote(metadata.uid ?? "")}`,
    );
  if (spec.nodeName !== nodeName)
    return `pod ${pod} is not running on node ${quote(nodeName)} named in the PodCertificateRequest`;
  if (metadata.annotations?.[mirrorPodAnnotation] !== undefined)
    return `pod ${pod} is a mirror pod`;
  return spec.serviceAccountName === serviceAccountName
    ? undefined
    : `PodCertificateRequest for pod ${pod} contains serviceAccountName (${quote(serviceAccountName)}) that differs from running pod (${quote(spec.serviceAccountName ?? "")})`;
}

async function checkAccount(request: Request, { reader }: NodeRuleSetup): Promise<undefined> {
  const { namespace, serviceAccountName: name, serviceAccountUID, pod } = request;
  const uid = (await reader.getCachedFirst(ServiceAccount, { namespace, name }))?.metadata.uid;
  if (uid === undefined) throw missing("service account", quote(`${namespace}/${name}`), name);
  if (uid !== serviceAccountUID)
    throw perhapsLater(
      `PodCertificateRequest for pod ${pod} names service account UID ${quote(serviceAccountUID)}, which differs from the running service account (${quote(uid)})`,
    );
}

function missing(what: string, shown: string, name: string): StatusError {
  const { message } = notFound({ group: "", resource: what.replace(" ", ""), name });
  return perhapsLater(
    `while retrieving ${what} ${shown} named in the PodCertificateRequest: ${message}`,
  );
}

/** An error that is not Forbidden: the cache may be too old, so that nodes try again. */
const perhapsLater = (message: string): StatusError => new StatusError("", message);
