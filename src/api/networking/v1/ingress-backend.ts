import { int32, message, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import {
  isDns1123Subdomain,
  isValidPortName,
  isValidPortNum,
  nameIsDnsLabel,
  pathSegmentName,
} from "../../../schema/values/names.ts";
import { TypedLocalObjectReference } from "../../core/v1/object-reference.ts";

export const ServiceBackendPort = struct("io.k8s.api.networking.v1.ServiceBackendPort", {
  name: string(1).doc("The name of the port; either this or the number."),
  number: int32(2).doc("The number of the port; either this or the name."),
})
  .atomic()
  .doc("A port of a service.");
export interface ServiceBackendPort extends Infer<typeof ServiceBackendPort> {}

export const IngressServiceBackend = struct("io.k8s.api.networking.v1.IngressServiceBackend", {
  name: string(1).always().expected().doc("Name of the service, in the same namespace."),
  port: value(2, ServiceBackendPort).doc("The port of the service."),
}).doc("A service that gets the traffic.");
export interface IngressServiceBackend extends Infer<typeof IngressServiceBackend> {}

export const IngressBackend = struct("io.k8s.api.networking.v1.IngressBackend", {
  service: message(4, IngressServiceBackend).doc("A service; either this or a resource."),
  resource: message(3, TypedLocalObjectReference).doc(
    "Another object in the same namespace; either this or a service.",
  ),
}).doc("What gets the traffic.");
export interface IngressBackend extends Infer<typeof IngressBackend> {}

export function validateIngressBackend({ service, resource }: IngressBackend, at: At): void {
  if (resource && service) at.invalid("", "", "cannot set both resource and service backends");
  else if (resource) validateObject(resource, at.child("resource"));
  else if (service) validateService(service, at);
  else at.invalid("", "", "resource or service backend is required");
}

interface ObjectName {
  readonly apiGroup?: string | null | undefined;
  readonly kind: string;
  readonly name: string;
}

/** The rules of a reference to an object of any kind. */
export function validateObject({ apiGroup, kind, name }: ObjectName, at: At): void {
  if (apiGroup !== undefined && apiGroup !== null)
    at.invalidEach("apiGroup", apiGroup, isDns1123Subdomain(apiGroup));
  if (kind === "") at.required("kind");
  else at.invalidEach("kind", kind, pathSegmentName(kind));
  if (name === "") at.required("name");
  else at.invalidEach("name", name, pathSegmentName(name));
}

function validateService({ name, port }: IngressServiceBackend, at: At): void {
  const here = at.child("service");
  if (name === "") here.required("name");
  else here.invalidEach("name", name, nameIsDnsLabel(name));
  const { name: portName = "", number = 0 } = port;
  if (portName !== "" && number !== 0)
    at.invalid("", "", "cannot set both port name & port number");
  else if (portName !== "") here.invalidEach("port.name", portName, isValidPortName(portName));
  else if (number !== 0) here.invalidEach("port.number", number, isValidPortNum(number));
  else at.required("", "port name or number is required");
}
