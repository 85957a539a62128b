import { int32, list, message, named, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isValidIpForLegacyField } from "../../../../schema/values/ip.ts";
import {
  isDns1123Label,
  isQualifiedName,
  isValidPortNum,
  nameIsDnsSubdomain,
} from "../../../../schema/values/names.ts";
import { ObjectReference } from "../object-reference.ts";
import { validateEndpointIp } from "./service-validation.ts";

export const EndpointAddress = struct("io.k8s.api.core.v1.EndpointAddress", {
  ip: string(1).always().expected().doc("The address."),
  hostname: string(3).doc("The name of the host at this address."),
  nodeName: string(4).pointer().doc("The node that hosts the address."),
  targetRef: message(2, ObjectReference).doc("The object that provides the address."),
})
  .atomic()
  .doc("An address that traffic can be sent to.");
export interface EndpointAddress extends Infer<typeof EndpointAddress> {}

export const EndpointPort = struct("io.k8s.api.core.v1.EndpointPort", {
  name: string(1).doc("The name of the service's port; needed where there are several."),
  port: int32(2).always().expected().doc("The number of the port."),
  protocol: named(3, "v1.Protocol")
    .known("TCP", "UDP", "SCTP")
    .default("TCP")
    .doc("The protocol of the port."),
  appProtocol: string(4).pointer().doc("What is spoken on top of the protocol."),
})
  .atomic()
  .doc("A port that all addresses of a subset have.");
export interface EndpointPort extends Infer<typeof EndpointPort> {}

export const EndpointSubset = struct("io.k8s.api.core.v1.EndpointSubset", {
  addresses: list(1, EndpointAddress).atomic().doc("Addresses that are ready for traffic."),
  notReadyAddresses: list(2, EndpointAddress)
    .atomic()
    .doc("Addresses that are not ready, or no longer."),
  ports: list(3, EndpointPort).atomic().doc("The ports of these addresses."),
}).doc("Addresses that have the same ports.");
export interface EndpointSubset extends Infer<typeof EndpointSubset> {}

export function validateEndpointSubsets(subsets: readonly EndpointSubset[], at: At): void {
  for (const [i, { addresses = [], notReadyAddresses = [], ports = [] }] of subsets.entries()) {
    const here = at.index(i);
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      here.required("", "must specify `addresses` or `notReadyAddresses`");
    for (const [j, address] of addresses.entries())
      validateAddress(address, here.child("addresses").index(j));
    for (const [j, address] of notReadyAddresses.entries())
      validateAddress(address, here.child("notReadyAddresses").index(j));
    for (const [j, port] of ports.entries())
      validatePort(port, here.child("ports").index(j), { needsName: ports.length > 1 });
  }
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, at: At): void {
  at.invalidEach("ip", ip, isValidIpForLegacyField(ip, { strict: true }));
  if (hostname) at.invalidEach("hostname", hostname, isDns1123Label(hostname));
  if (nodeName !== undefined) at.invalidEach("nodeName", nodeName, nameIsDnsSubdomain(nodeName));
  validateEndpointIp(ip, at.child("ip"));
}

function validatePort(
  { name, port, protocol, appProtocol }: EndpointPort,
  at: At,
  { needsName }: { readonly needsName: boolean },
): void {
  if (name) at.invalidEach("name", name, isDns1123Label(name));
  else if (needsName) at.required("name");
  at.invalidEach("port", port, isValidPortNum(port));
  if (protocol === "") at.required("protocol");
  else if (!protocols.includes(protocol)) at.notSupported("protocol", protocol, protocols);
  if (appProtocol !== undefined)
    at.invalidEach("appProtocol", appProtocol, isQualifiedName(appProtocol));
}

const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];
