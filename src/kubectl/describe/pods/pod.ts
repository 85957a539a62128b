import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../../api/core/v1/pod/pod-qos.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { controllerText, metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { sinceText, timeText } from "../time-text.ts";
import { containerLines } from "./container-lines.ts";
import { pendingReason } from "./pending-reason.ts";
import { resourceLines } from "./resource-lines.ts";
import { nodeChoiceLines, schedulingGroupLines, spreadLines } from "./scheduling-lines.ts";
import { volumeLines } from "./volume-lines.ts";

export const describePod = objectDescriber(describedKinds.pod, async (d, pod, context) => {
  const { metadata, spec, status } = pod;
  // The events of a static pod are those of the pod on its node.
  const mirrored = metadata.annotations?.["kubernetes.io/config.mirror"];
  const { name, namespace } = metadata;
  const uid = mirrored ?? metadata.uid;
  const events = await context.events({ metadata: { name, namespace, uid } });
  placeLines(d, pod);
  metadataLines(d, metadata);
  phaseLines(d, pod, context);
  addressLines(d, pod);
  if (spec.resources) {
    d.line("Resources:");
    resourceLines(d, spec.resources, 1);
  }
  allContainerLines(d, pod);
  conditionLines(d, pod);
  volumeLines(d, spec.volumes);
  d.field("QoS Class", podQosClass(pod));
  nodeChoiceLines(d, spec);
  spreadLines(d, spec.topologySpreadConstraints);
  schedulingGroupLines(d, spec.schedulingGroup);
  eventLines(d, events, context.clock);
  if (status.phase === "Pending" && !metadata.deletionTimestamp)
    d.line(`\n${await pendingReason(pod, context)}`);
});

function placeLines(d: Description, { metadata, spec, status }: Pod): void {
  d.field("Name", metadata.name ?? "");
  d.field("Namespace", metadata.namespace ?? "");
  d.optionalField("Priority", spec.priority);
  d.optionalField("Priority Class Name", spec.priorityClassName || undefined);
  d.optionalField("Runtime Class Name", spec.runtimeClassName || undefined);
  d.optionalField("Service Account", spec.serviceAccountName || undefined);
  d.field("Node", spec.nodeName ? `${spec.nodeName}/${status.hostIP ?? ""}` : "<none>");
  if (status.startTime) d.field("Start Time", timeText(status.startTime));
}

function phaseLines(
  d: Description,
  { metadata, spec, status }: Pod,
  { clock }: Pick<DescribeContext, "clock">,
): void {
  const hasEnded = status.phase === "Failed" || status.phase === "Succeeded";
  if (metadata.deletionTimestamp && !hasEnded) {
    d.field("Status", `Terminating (lasts ${sinceText(metadata.deletionTimestamp, clock)})`);
    d.field("Termination Grace Period", `${metadata.deletionGracePeriodSeconds ?? 0}s`);
  } else d.field("Status", status.phase ?? "");
  d.optionalField("Reason", status.reason || undefined);
  d.optionalField("Message", status.message || undefined);
  const { seccompProfile } = spec.securityContext ?? {};
  if (!seccompProfile) return;
  d.field("SeccompProfile", seccompProfile.type ?? "");
  if (seccompProfile.type === "Localhost")
    d.field("LocalhostProfile", seccompProfile.localhostProfile ?? "");
}

function addressLines(d: Description, { metadata, status }: Pod): void {
  const { podIP = "", podIPs = [], nominatedNodeName } = status;
  d.field("IP", podIP);
  if (podIPs.length === 0) d.field("IPs", "<none>");
  else d.line("IPs:");
  for (const { ip = "" } of podIPs) d.field("IP", ip, 1);
  d.optionalField("Controlled By", controllerText(metadata));
  d.optionalField("NominatedNodeName", nominatedNodeName || undefined);
}

function allContainerLines(d: Description, { metadata, spec, status }: Pod): void {
  if ((spec.initContainers ?? []).length > 0)
    containerLines(d, {
      title: "Init Containers",
      containers: spec.initContainers,
      statuses: status.initContainerStatuses,
      pod: metadata,
    });
  containerLines(d, {
    title: "Containers",
    containers: spec.containers,
    statuses: status.containerStatuses,
    pod: metadata,
  });
  if ((spec.ephemeralContainers ?? []).length > 0)
    containerLines(d, {
      title: "Ephemeral Containers",
      containers: spec.ephemeralContainers,
      statuses: status.ephemeralContainerStatuses,
      pod: metadata,
    });
}

function conditionLines(d: Description, { spec, status }: Pod): void {
  const { readinessGates = [] } = spec;
  const { conditions = [] } = status;
  if (readinessGates.length > 0) d.write("Readiness Gates:\n  Type\tStatus\n");
  for (const { conditionType } of readinessGates) {
    const condition = conditions.find(({ type }) => type === conditionType);
    d.row([`${conditionType} `, `${condition ? condition.status : "<none>"} `], 1);
  }
  if (conditions.length > 0) d.write("Conditions:\n  Type\tStatus\n");
  for (const { type, status } of conditions) d.row([`${type} `, `${status} `], 1);
}
