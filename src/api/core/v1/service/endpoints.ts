import { hostPort } from "../../../../base/network.ts";
import { list } from "../../../../schema/language/field.ts";
import { sameValue } from "../../../../schema/language/validate.ts";
import { getWarningsForIp } from "../../../../schema/values/ip.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { EndpointSubset, validateEndpointSubsets } from "./endpoint-subset.ts";

/** The label by which a controller says that it keeps the addresses, and in good form. */
const managedByLabel = "endpoints.kubernetes.io/managed-by";

export const Endpoints = kind({
  group: "",
  version: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  storagePrefix: "services/endpoints",
  deprecated: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  doc: "The addresses to which the traffic of a service goes.",
  name: nameIsDnsSubdomain,
  fields: {
    subsets: list(2, EndpointSubset).atomic().doc("Addresses, by the ports that they have."),
  },
  rules: [({ subsets = [] }, at) => validateEndpointSubsets(subsets, at.child("subsets"))],
  updateRules({ subsets = [] }, old, { at, metadata }) {
    metadata();
    // What was taken once stays valid as long as it is not touched.
    if (!sameValue(subsets, old.subsets)) validateEndpointSubsets(subsets, at.child("subsets"));
  },
  strategy: {
    createOnUpdate: true,
    warnings({ metadata, subsets = [] }) {
      if (metadata.labels?.[managedByLabel] === "endpoint-controller") return [];
      return subsets.flatMap((subset, i) =>
        (["addresses", "notReadyAddresses"] as const).flatMap((field) =>
          (subset[field] ?? []).flatMap(({ ip }, j) =>
            getWarningsForIp(`subsets[${i}].${field}[${j}].ip`, ip),
          ),
        ),
      );
    },
  },
  columns: [
    nameColumn,
    {
      name: "Endpoints",
      type: "string",
      description:
        "The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they share. A single address with multiple ports, some of which are ready and some of which are not (because they come from different containers) will result in the address being displayed in different subsets for the different ports. No address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.",
      cell: ({ subsets = [] }) => (subsets.length === 0 ? "<none>" : formatEndpoints(subsets)),
    },
    ageColumn,
  ],
});
export interface Endpoints extends ObjectOf<typeof Endpoints> {}

const maxShown = 3;

/** The first few addresses that are ready, each with its ports, and how many there are beside. */
function formatEndpoints(subsets: readonly EndpointSubset[]): string {
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => hostPort(ip, port))),
  );
  const shown = all.slice(0, maxShown).join(",");
  return all.length > maxShown ? `${shown} + ${all.length - maxShown} more...` : shown;
}
