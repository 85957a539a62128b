import type { Service } from "../../api/core/v1/service/service.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { rejection } from "./rejection.ts";

/** Services get no more external addresses than they have. */
export const denyServiceExternalIps: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  operations: ["CREATE", "UPDATE"],

  validate(attributes) {
    const { address, subresource, object, old } = attributes;
    if (address.kind.group !== "" || address.kind.plural !== "services" || subresource !== "")
      return;
    const before = old ? addressesOf(old as unknown as Service) : [];
    const isNew = (ip: string) => !before.includes(ip);
    if (addressesOf(object as unknown as Service).some(isNew))
      throw rejection(attributes, "Use of external IPs is denied by admission control");
  },
};

const addressesOf = ({ spec }: Service): readonly string[] => spec.externalIPs ?? [];
