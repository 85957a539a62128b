import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Taint } from "../../../api/core/v1/scheduling/taint.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { listLines, metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { amountLines } from "../quantities.ts";
import { timeText } from "../time-text.ts";
import { nodeLeaseLines, resourceSliceLines } from "./node-parts.ts";
import { nodePodLines } from "./node-pods.ts";

export const describeNode = objectDescriber(describedKinds.node, async (d, node, context) => {
  const { metadata, spec, status } = node;
  const { name = "" } = metadata;
  const pods = await podsOnNode(context, name);
  const events = await eventsOf(context, node);
  const slices = await context
    .list(describedKinds.resourceSlice, "", {
      fieldSelector: `spec.nodeName=${name}`,
      inPages: false,
    })
    .catch(() => []);
  d.field("Name", name);
  d.field("Roles", rolesOf(node).join(",") || "<none>");
  metadataLines(d, metadata);
  d.field("CreationTimestamp", timeText(metadata.creationTimestamp));
  listLines(d, "Taints", { lines: taintTexts(spec.taints) });
  d.field("Unschedulable", spec.unschedulable ?? false);
  await nodeLeaseLines(d, context, name);
  conditionLines(d, node);
  d.line("Addresses:");
  for (const { type, address } of status.addresses ?? []) d.field(type, address ?? "", 1);
  for (const [title, amounts] of [
    ["Capacity", status.capacity],
    ["Allocatable", status.allocatable],
  ] as const) {
    if (Object.keys(amounts ?? {}).length > 0) d.line(`${title}:`);
    amountLines(d, amounts, 1);
  }
  resourceSliceLines(d, slices);
  systemLines(d, node);
  if (pods) nodePodLines(d, { node, pods, clock: context.clock });
  else d.field("Pods", "not authorized");
  eventLines(d, events, context.clock);
});

/** The pods on a node that have not ended; undefined if the user may not see them. */
async function podsOnNode(
  context: DescribeContext,
  name: string,
): Promise<readonly Pod[] | undefined> {
  const fieldSelector = `spec.nodeName=${name},status.phase!=Succeeded,status.phase!=Failed`;
  try {
    return await context.list(describedKinds.pod, "", { fieldSelector });
  } catch (error) {
    if (!StatusError.is(error, "Forbidden")) throw error;
    return undefined;
  }
}

/** The events of a node: those of kubelets have its name in the place of the uid. */
async function eventsOf(context: DescribeContext, { metadata }: Node) {
  const { name, uid } = metadata;
  const events = await context.events({ kind: "Node", metadata: { name, uid } });
  const others = await context.events({ kind: "Node", metadata: { name, uid: name } });
  return events && [...events, ...(others ?? [])];
}

const rolePrefix = "node-role.kubernetes.io/";

function rolesOf({ metadata }: Node): readonly string[] {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  return [...new Set(roles)].filter((role) => role !== "").sort(compareUtf8);
}

function taintTexts(taints: readonly Taint[] = []): readonly string[] {
  const order = ({ effect, key }: Taint): string => `${effect ?? ""},${key ?? ""}`;
  return taints
    .toSorted((a, b) => compareUtf8(order(a), order(b)))
    .map(({ key, value, effect }) => {
      const text = value ? `${key}=${value}` : (key ?? "");
      if (effect) return `${text}:${effect}`;
      return value ? `${text}:` : text;
    });
}

function conditionLines(d: Description, { status }: Node): void {
  const { conditions = [] } = status;
  if (conditions.length === 0) return;
  d.line("Conditions:");
  d.row(["Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message"], 1);
  d.row(["----", "------", "-----------------", "------------------", "------", "-------"], 1);
  for (const { type, status, lastHeartbeatTime, lastTransitionTime, reason, message } of conditions)
    d.row(
      [
        `${type ?? ""} `,
        `${status ?? ""} `,
        `${timeText(lastHeartbeatTime)} `,
        `${timeText(lastTransitionTime)} `,
        `${reason ?? ""} `,
        message ?? "",
      ],
      1,
    );
}

function systemLines(d: Description, { spec, status }: Node): void {
  const info = status.nodeInfo;
  d.line("System Info:");
  for (const [title, value = ""] of [
    ["Machine ID", info?.machineID],
    ["System UUID", info?.systemUUID],
    ["Boot ID", info?.bootID],
    ["Kernel Version", info?.kernelVersion],
    ["OS Image", info?.osImage],
    ["Operating System", info?.operatingSystem],
    ["Architecture", info?.architecture],
    ["Container Runtime Version", info?.containerRuntimeVersion],
    ["Kubelet Version", info?.kubeletVersion],
  ] as const)
    d.field(title, value, 1);
  d.optionalField("PodCIDR", spec.podCIDR || undefined);
  d.optionalField("PodCIDRs", (spec.podCIDRs ?? []).join(",") || undefined);
  d.optionalField("ProviderID", spec.providerID || undefined);
}
