import type { Column } from "../../../../schema/language/kind.ts";
import { ageColumn, nameColumn } from "../../../meta/v1/columns.ts";
import type { NodeBody } from "./node-validation.ts";

export const nodeColumns: readonly Column<NodeBody>[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "The status of the node",
    cell: statusText,
  },
  {
    name: "Roles",
    type: "string",
    description: "The roles of the node",
    cell: (node) => nodeRoles(node).join(",") || "<none>",
  },
  ageColumn,
  {
    name: "Version",
    type: "string",
    description: "Kubelet Version reported by the node.",
    cell: ({ status }) => status.nodeInfo.kubeletVersion,
  },
  {
    name: "Internal-IP",
    type: "string",
    wide: true,
    description:
      "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).",
    cell: (node) => addressOf(node, "InternalIP"),
  },
  {
    name: "External-IP",
    type: "string",
    wide: true,
    description:
      "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).",
    cell: (node) => addressOf(node, "ExternalIP"),
  },
  {
    name: "OS-Image",
    type: "string",
    wide: true,
    description:
      "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).",
    cell: ({ status }) => status.nodeInfo.osImage || "<unknown>",
  },
  {
    name: "Kernel-Version",
    type: "string",
    wide: true,
    description: "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
    cell({ status: { nodeInfo } }) {
      const kernel = nodeInfo.kernelVersion || "<unknown>";
      return nodeInfo.architecture ? `${kernel} (${nodeInfo.architecture})` : kernel;
    },
  },
  {
    name: "Container-Runtime",
    type: "string",
    wide: true,
    description:
      "ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).",
    cell: ({ status }) => status.nodeInfo.containerRuntimeVersion || "<unknown>",
  },
];

const rolePrefix = "node-role.kubernetes.io/";

/** What a node is for, by its labels, in order. */
function nodeRoles({ metadata }: Pick<NodeBody, "metadata">): readonly string[] {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role") roles.add(value);
  }
  roles.delete("");
  return [...roles].sort();
}

function statusText({ spec, status }: NodeBody): string {
  const ready = status.conditions?.findLast(({ type }) => type === "Ready");
  const text = !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec.unschedulable ? `${text},SchedulingDisabled` : text;
}

const addressOf = ({ status }: NodeBody, type: string): string =>
  status.addresses?.find((address) => address.type === type)?.address ?? "<none>";
