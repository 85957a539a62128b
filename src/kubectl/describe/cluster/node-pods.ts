import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import {
  effectiveLimits,
  effectiveRequests,
} from "../../../api/core/v1/pod/pod-effective-resources.ts";
import { podLimits, podRequests } from "../../../api/core/v1/pod/pod-requests.ts";
import type { ResourceList } from "../../../api/core/v1/resource-list.ts";
import type { Clock } from "../../../base/clock.ts";
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from "../../../schema/values/quantity.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { Description } from "../description.ts";
import { amountOf, quantityText } from "../quantities.ts";
import { sinceText } from "../time-text.ts";

interface NodePods {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly clock: Clock;
}

/** The pods of a node, and what they request and may use of it. */
export function nodePodLines(d: Description, { node, pods, clock }: NodePods): void {
  const { capacity = {}, allocatable = {} } = node.status;
  const available = Object.keys(allocatable).length > 0 ? allocatable : capacity;
  podLines(d, { pods, available, clock });
  const requests = total(pods.map(({ spec }) => podRequests(spec)));
  const limits = total(pods.map(({ spec }) => podLimits(spec)));
  d.line("Allocated resources:");
  d.line("(Total limits may be over 100 percent, i.e., overcommitted.)", 1);
  d.columns(["Resource", "Requests", "Limits"], 1);
  const names = Object.keys(available).sort(compareUtf8);
  const hugePages = names.filter((name) => name.startsWith("hugepages-"));
  for (const name of [...standard, ...hugePages])
    d.row(
      [name, ...[requests, limits].map((amounts) => withShare(amounts, available, { name }))],
      1,
    );
  for (const name of names)
    if (!standard.includes(name) && !hugePages.includes(name) && name !== "pods")
      d.row(
        [name, ...[requests, limits].map((amounts) => quantityText(amountOf(amounts, name)))],
        1,
      );
}

const standard = ["cpu", "memory", "ephemeral-storage"];

interface PodTable {
  readonly pods: readonly Pod[];
  readonly available: ResourceList;
  readonly clock: Clock;
}

function podLines(d: Description, { pods, available, clock }: PodTable): void {
  d.field("Non-terminated Pods", `(${pods.length} in total)`);
  const columns = ["CPU Requests", "CPU Limits", "Memory Requests", "Memory Limits", "Age"];
  d.columns(["Namespace", "Name", "", ...columns], 1);
  for (const pod of pods) {
    const { namespace = "", name = "", creationTimestamp } = pod.metadata;
    const lists = [effectiveRequests(pod), effectiveLimits(pod)];
    const shares = ["cpu", "memory"].flatMap((resource) =>
      lists.map((amounts) =>
        withShare(amounts, available, { name: resource, dividesByZero: true }),
      ),
    );
    d.row([namespace, name, "", ...shares, sinceText(creationTimestamp, clock)], 1);
  }
}

interface ShareOptions {
  readonly name: string;
  /** Whether a share of nothing is what Go makes of it, not zero. */
  readonly dividesByZero?: boolean;
}

/** An amount, and how many percent it is of what there is. */
function withShare(
  amounts: ResourceList,
  available: ResourceList,
  { name, dividesByZero = false }: ShareOptions,
): string {
  const read = name === "cpu" ? quantityMilliValue : quantityValue;
  const amount = quantityText(amountOf(amounts, name));
  const all = read(parseQuantity(quantityText(amountOf(available, name))));
  const share = (read(parseQuantity(amount)) / all) * 100;
  return `${amount} (${percentText(all === 0 && !dividesByZero ? 0 : share)}%)`;
}

/** Go makes the least integer of what is no finite number. */
const percentText = (share: number): string =>
  Number.isFinite(share) ? String(Math.trunc(share)) : "-9223372036854775808";

function total(lists: readonly ResourceList[]): ResourceList {
  const sums: Record<string, string> = {};
  for (const list of lists)
    for (const [name, amount] of Object.entries(list)) {
      const sum = amountOf(sums, name);
      sums[name] =
        sum === undefined
          ? amount
          : formatQuantity(addQuantities(parseQuantity(`${sum}`), parseQuantity(amount)));
    }
  return sums;
}
