import {
  kubeletServingFault,
  nodesGroup,
  nodeUserPrefix,
} from "../../api/certificates/kubelet-request.ts";
import { signers } from "../../api/certificates/signers.ts";
import type { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { CertificateRequest } from "../../api/certificates/x509/certificate-request.ts";
import { commonNameOf } from "../../api/certificates/x509/subject.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import { bigintOf } from "../../base/der-reader.ts";
import { formatIp, type Ip, parseIp } from "../../schema/values/ip.ts";

type Creator = Pick<CertificateSigningRequest, "spec">;

/** The node that a request for a serving certificate is from; undefined for other requests. */
export const servedNode = ({ spec }: Creator): string | undefined =>
  spec.signerName === signers.kubeletServing && spec.username?.startsWith(nodeUserPrefix)
    ? spec.username.slice(nodeUserPrefix.length)
    : undefined;

/**
 * Why a node does not get the serving certificate that it requests; undefined if it does. A node gets
 * certificates for its own names and addresses, unless an older node has them as well: nodes write their
 * addresses themselves.
 */
export function servingRequestFault(
  { spec }: Creator,
  request: Pick<CertificateRequest, "subject" | "names">,
  nodes: readonly Node[],
): string | undefined {
  const fault = kubeletServingFault(request, spec.usages ?? []);
  if (fault !== undefined) return fault;
  if (spec.username !== commonNameOf(request.subject) || !spec.groups?.includes(nodesGroup))
    return "the request is for another node than its creator";
  const name = servedNode({ spec });
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (!node) return `there is no node ${name}`;
  const { dnsNames, ipAddresses } = request.names;
  const requested = [...dnsNames, ...ipAddresses.map(addressText)];
  const own = addressesOf(node);
  const foreign = requested.find((address) => !own.has(address));
  if (foreign !== undefined) return `${foreign} is no address of the node ${name}`;
  for (const other of nodes) {
    if (other === node || !isOlder(other, node)) continue;
    const taken = addressesOf(other);
    const shared = requested.find((address) => taken.has(address));
    if (shared !== undefined) return `${shared} is an address of the node ${other.metadata.name}`;
  }
  return undefined;
}

/** The names and addresses of a node; addresses are in canonical form. */
function addressesOf({ status }: Node): ReadonlySet<string> {
  return new Set(
    (status.addresses ?? []).map(({ address }) => {
      const ip = parseIp(address);
      return ip ? canonical(ip) : address;
    }),
  );
}

const addressText = (bytes: Uint8Array): string =>
  canonical({ version: bytes.length === 4 ? 4 : 6, bits: bigintOf(bytes) });

/** An IPv6 address that stands for one of IPv4 is written as the latter. */
const canonical = (ip: Ip): string =>
  formatIp(
    ip.version === 6 && ip.bits >> 32n === 0xffffn
      ? { version: 4, bits: ip.bits & 0xffffffffn }
      : ip,
  );

/** Of two nodes of the same second, the one with the lower uid counts as older. */
const isOlder = (a: Node, b: Node): boolean => ageKey(a) < ageKey(b);
const ageKey = ({ metadata }: Node): string => `${metadata.creationTimestamp} ${metadata.uid}`;
