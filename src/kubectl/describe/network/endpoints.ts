import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";

export const describeEndpoints = objectDescriber(
  describedKinds.endpoints,
  async (d, endpoints, context) => {
    const events = await context.events(endpoints);
    headLines(d, endpoints.metadata, true);
    d.line("Subsets:");
    for (const { addresses, notReadyAddresses, ports = [] } of endpoints.subsets ?? []) {
      d.field("Addresses", ipsText(addresses), 1);
      d.field("NotReadyAddresses", ipsText(notReadyAddresses), 1);
      if (ports.length > 0) {
        d.line("Ports:", 1);
        d.columns(["Name", "Port", "Protocol"], 2);
      }
      for (const { name, port, protocol } of ports)
        d.row([name || "<unset>", port ?? 0, protocol ?? ""], 2);
      d.line("");
    }
    eventLines(d, events, context.clock);
  },
);

const ipsText = (addresses: readonly { readonly ip?: string }[] | undefined): string =>
  (addresses ?? []).map(({ ip }) => ip ?? "").join(",") || "<none>";
