import { Service } from "../../api/core/v1/service/service.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { rejection } from "./rejection.ts";
import { isFor, objectOf, oldOf } from "./typed-attributes.ts";

/** Rejects external IPs that a service does not have yet. */
export const denyServiceExternalIps: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  operations: ["CREATE", "UPDATE"],

  validate(attributes) {
    if (!isFor(Service, attributes) || attributes.subresource !== "") return;
    const before = attributes.old ? addressesOf(oldOf(Service, attributes)) : [];
    const isNew = (ip: string) => !before.includes(ip);
    if (addressesOf(objectOf(Service, attributes)).some(isNew))
      throw rejection(attributes, "Use of external IPs is denied by admission control");
  },
};

const addressesOf = ({ spec }: Service): readonly string[] => spec.externalIPs ?? [];
