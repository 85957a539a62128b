import type { Endpoint } from "../../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";

export const describeEndpointSlice = objectDescriber(
  describedKinds.endpointSlice,
  async (d, slice, context) => {
    const events = await context.events(slice);
    headLines(d, slice.metadata, true);
    d.field("AddressType", slice.addressType ?? "");
    portLines(d, slice);
    const endpoints = slice.endpoints ?? [];
    d.line(endpoints.length === 0 ? "Endpoints: <none>" : "Endpoints:");
    for (const endpoint of endpoints) endpointLines(d, endpoint);
    eventLines(d, events, context.clock);
  },
);

const unset = "<unset>";

function portLines(d: Description, { ports }: EndpointSlice): void {
  const all = ports ?? [];
  if (all.length === 0) {
    d.line("Ports: <unset>");
    return;
  }
  d.line("Ports:");
  d.columns(["Name", "Port", "Protocol"], 1);
  for (const { name, port, protocol } of all)
    d.row([name || unset, port ?? unset, protocol ?? ""], 1);
}

function endpointLines(d: Description, endpoint: Endpoint): void {
  const { addresses, conditions, hostname, targetRef, nodeName, zone } = endpoint;
  d.field("- Addresses", addresses.join(", ") || "<none>", 1);
  d.line("Conditions:", 2);
  d.field("Ready", conditions?.ready ?? unset, 3);
  d.field("Hostname", hostname ?? unset, 2);
  if (targetRef) d.field("TargetRef", `${targetRef.kind ?? ""}/${targetRef.name ?? ""}`, 2);
  d.field("NodeName", nodeName ?? unset, 2);
  d.field("Zone", zone ?? unset, 2);
}
