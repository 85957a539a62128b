import type { Endpoint } from "../../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { addressBytes } from "../message/make-record.ts";

/** A port with a name, at which a service or an endpoint is reached. */
export interface NamedPort {
  readonly name: string;
  /** In lower case. */
  readonly protocol: string;
  readonly port: number;
}

/** An address that a service has by its endpoints. */
export interface NamedEndpoint {
  /** The label before the name of the service. */
  readonly label: string;
  readonly address: Uint8Array;
  readonly ports: readonly NamedPort[];
}

/** The endpoints of a slice that have names: those that are ready. */
export function namedEndpoints(slice: EndpointSlice): readonly NamedEndpoint[] {
  if (slice.addressType !== "IPv4" && slice.addressType !== "IPv6") return [];
  const ports = (slice.ports ?? []).flatMap(({ name = "", protocol, port }) =>
    port === undefined ? [] : [{ name, protocol: (protocol ?? "TCP").toLowerCase(), port }],
  );
  return (slice.endpoints ?? []).filter(isReady).flatMap(({ addresses, hostname }) =>
    (addresses ?? []).flatMap((text) => {
      const address = addressBytes(text);
      return address ? [{ label: hostname || addressLabel(text), address, ports }] : [];
    }),
  );
}

/** Whether an endpoint is ready, or nobody knows. One that is to be published before is said to be ready. */
const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false;

/** The label of an endpoint without a hostname: its address, with dashes. A label cannot start or end with one. */
function addressLabel(address: string): string {
  const dashed = address.replace(/[.:]/g, "-");
  return `${dashed.startsWith("-") ? "0" : ""}${dashed}${dashed.endsWith("-") ? "0" : ""}`;
}
