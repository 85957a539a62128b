import type { Node } from "../../api/core/v1/node/node.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { hostPort, type Network } from "../../base/network.ts";
import type { Location } from "./location.ts";

/** How kubelets are reached. */
export interface KubeletOptions {
  /** Which of a node's addresses is used: the first of these types that it has. */
  readonly preferredAddressTypes?: readonly string[];
  /** Who signs the certificates of kubelets (PEM); absent: any certificate will do. */
  readonly ca?: string;
  /** As whom the server comes to them (PEM). */
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** Milliseconds until it is given up to connect; half a minute if not given. */
  readonly timeout?: number;
}

/** What connections to nodes and pods are made with. */
export interface Connections {
  readonly network: Network;
  readonly kubelet: KubeletOptions;
}

const defaultAddressTypes: readonly string[] = [
  "Hostname",
  "InternalDNS",
  "InternalIP",
  "ExternalDNS",
  "ExternalIP",
];

const defaultPort = 10250;

/** What a node says of how it is reached. */
interface Reachable {
  readonly status: Pick<Node["status"], "addresses"> &
    Partial<Pick<Node["status"], "daemonEndpoints">>;
}

/** Where the kubelet of a node is; throws where the node has no address that counts. */
export function kubeletOf({ status }: Reachable, options: KubeletOptions): Location {
  const { preferredAddressTypes = defaultAddressTypes, ca, clientCert, clientKey } = options;
  const addresses = status.addresses ?? [];
  const found = preferredAddressTypes
    .map((wanted) => addresses.find(({ type }) => type === wanted))
    .find((address) => address !== undefined);
  if (!found) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
    throw new StatusError("", `no preferred addresses found; known addresses: [${known}]`);
  }
  const port = status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return {
    scheme: "https",
    host: hostPort(found.address, port > 0 ? port : defaultPort),
    path: "",
    query: "",
    tls: { ca, cert: clientCert, key: clientKey, insecure: ca === undefined },
  };
}
