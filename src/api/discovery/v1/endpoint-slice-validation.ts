import type { At } from "../../../schema/language/report.ts";
import {
  isValidIp,
  isValidIpForLegacyField,
  parseIpSloppy,
  unmap,
} from "../../../schema/values/ip.ts";
import {
  isDns1123Label,
  isFullyQualifiedDomainName,
  isQualifiedName,
  isValidLabelValue,
  type Messages,
  nameIsDnsSubdomain,
} from "../../../schema/values/names.ts";
import { validateEndpointIp } from "../../core/v1/service/service-validation.ts";
import { validateLabels } from "../../meta/v1/object-meta-validation.ts";
import type { Endpoint, EndpointHints, EndpointPort } from "./endpoint.ts";

const addressTypes: readonly string[] = ["FQDN", "IPv4", "IPv6"];
const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];
const maxTopologyLabels = 16;
const maxAddresses = 100;
const maxPorts = 20000;
const maxEndpoints = 1000;
const maxHints = 8;

export function validateAddressType(type: string, at: At): void {
  if (type === "") at.required("addressType");
  else if (!addressTypes.includes(type)) at.notSupported("addressType", type, addressTypes);
}

export function validateEndpointPorts(ports: readonly EndpointPort[], at: At): void {
  if (ports.length > maxPorts) {
    at.tooMany("", ports.length, maxPorts);
    return;
  }
  const names = new Set<string>();
  for (const [i, { name, protocol, appProtocol }] of ports.entries()) {
    const here = at.index(i);
    if (name !== "") here.invalidEach("name", name, isDns1123Label(name));
    if (names.has(name)) here.duplicate("name", name);
    names.add(name);
    if (!protocols.includes(protocol)) here.notSupported("protocol", protocol, protocols);
    if (appProtocol !== undefined)
      here.invalidEach("appProtocol", appProtocol, isQualifiedName(appProtocol));
  }
}

export function validateSliceEndpoints(
  endpoints: readonly Endpoint[],
  addressType: string,
  at: At,
): void {
  if (endpoints.length > maxEndpoints) {
    at.tooMany("", endpoints.length, maxEndpoints);
    return;
  }
  for (const [i, endpoint] of endpoints.entries()) {
    const here = at.index(i);
    validateAddresses(endpoint.addresses ?? [], addressType, here.child("addresses"));
    const { nodeName, hostname, hints } = endpoint;
    if (nodeName !== undefined)
      here.invalidEach("nodeName", nodeName, nameIsDnsSubdomain(nodeName));
    validateTopology(endpoint.deprecatedTopology ?? {}, here.child("deprecatedTopology"));
    if (hostname !== undefined) here.invalidEach("hostname", hostname, isDns1123Label(hostname));
    if (hints) validateHints(hints, here.child("hints"));
  }
}

function validateAddresses(addresses: readonly string[], type: string, at: At): void {
  if (addresses.length === 0) at.required("", "must contain at least 1 address");
  else if (addresses.length > maxAddresses) at.tooMany("", addresses.length, maxAddresses);
  for (const [i, address] of addresses.entries()) {
    if (type === "IPv4") {
      const messages = isValidIpForLegacyField(address, { strict: true });
      validateIp(address, at, { i, version: 4, messages });
    } else if (type === "IPv6")
      validateIp(address, at, { i, version: 6, messages: isValidIp(address) });
    else if (type === "FQDN") validateDomain(address, at.index(i));
  }
}

function validateIp(
  address: string,
  at: At,
  {
    i,
    version,
    messages,
  }: { readonly i: number; readonly version: 4 | 6; readonly messages: Messages },
): void {
  const here = at.index(i);
  here.invalidEach("", address, messages);
  if (messages.length > 0) return;
  const ip = parseIpSloppy(address);
  if (ip && unmap(ip).version !== version)
    at.invalid("", address, `must be an IPv${version} address`);
  validateEndpointIp(address, here);
}

function validateDomain(domain: string, at: At): void {
  for (const fault of isFullyQualifiedDomainName(domain))
    if (fault.type === "Required") at.required();
    else at.invalid("", fault.value, fault.detail);
}

const zoneLabel = "topology.kubernetes.io/zone";

function validateTopology(topology: Readonly<Record<string, string>>, at: At): void {
  const size = Object.keys(topology).length;
  if (size > maxTopologyLabels) at.tooMany("", size, maxTopologyLabels);
  validateLabels(topology, at);
  if (Object.hasOwn(topology, zoneLabel))
    at.key(zoneLabel).internal("", "reserved key was not removed in conversion");
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, at: At): void {
  if (!validateNames(forZones, at.child("forZones"), isValidLabelValue)) return;
  validateNames(forNodes, at.child("forNodes"), (name) => nameIsDnsSubdomain(name));
}

function validateNames(
  named: readonly { readonly name: string }[],
  at: At,
  rule: (name: string) => Messages,
): boolean {
  if (named.length > maxHints) {
    at.tooMany("", named.length, maxHints);
    return false;
  }
  const seen = new Set<string>();
  for (const [i, { name }] of named.entries()) {
    if (seen.has(name)) at.index(i).duplicate("name", name);
    seen.add(name);
    at.index(i).invalidEach("name", name, rule(name));
  }
  return true;
}
