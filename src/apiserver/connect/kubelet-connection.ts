import type { Node } from "../../api/core/v1/node/node.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { hostPort, type Network } from "../../base/network.ts";
import type { Location } from "./location.ts";

/** How kubelets are reached. */
export interface KubeletOptions {
  /** The types of node addresses to use, the preferred first. */
  readonly preferredAddressTypes?: readonly string[];
  /** The CA of kubelets' certificates (PEM); absent: any certificate is accepted. */
  readonly ca?: string;
  /** The client certificate of the server (PEM). */
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** The port of kubelets that publish none; 10250 if not given. */
  readonly port?: number;
  /** How many bytes a second are copied on an upgraded connection, each way; any number if not given or 0. */
  readonly bytesPerSecond?: number;
  /** The time limit for connecting, in milliseconds; half a minute if not given. */
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

/** The fields of a node by which its kubelet is reached. */
interface Reachable {
  readonly status: Pick<Node["status"], "addresses"> &
    Partial<Pick<Node["status"], "daemonEndpoints">>;
}

/** The location of a node's kubelet; throws where the node has no usable address. */
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
    host: hostPort(found.address, port > 0 ? port : (options.port ?? defaultPort)),
    path: "",
    query: "",
    tls: { ca, cert: clientCert, key: clientKey, insecure: ca === undefined },
  };
}
