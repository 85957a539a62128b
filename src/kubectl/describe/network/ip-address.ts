import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { versionedDescriber } from "../object-describer.ts";

export const describeIpAddress = versionedDescriber(
  [describedKinds.ipAddress, describedKinds.ipAddressBeta],
  async (d, address, context) => {
    const { metadata, spec } = address;
    const events = await context.events(address);
    headLines(d, metadata, false);
    const { parentRef } = spec ?? {};
    if (parentRef) {
      d.line("Parent Reference:");
      d.field("Group", parentRef.group ?? "", 1);
      d.field("Resource", parentRef.resource ?? "", 1);
      d.field("Namespace", parentRef.namespace ?? "", 1);
      d.field("Name", parentRef.name ?? "", 1);
    }
    eventLines(d, events, context.clock);
  },
);
