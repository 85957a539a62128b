import type { Condition } from "../../api/meta/v1/condition.ts";

/** What is known of the devices and pods that a rule concerns. */
export interface RuleFacts {
  readonly effect: string;
  readonly generation: number | undefined;
  /** The pods that the rule evicts or would evict, and their namespaces. */
  readonly pods: number;
  readonly namespaces: number;
  /** The devices that it selects, of those published and of those allocated. */
  readonly published: number;
  readonly allocated: number;
  /** The pods that were evicted because of it since the controller started. */
  readonly evicted: number;
}

type RuleCondition = Omit<Condition, "lastTransitionTime">;

/** The condition of a rule that taints devices: how far the eviction of pods is. */
export function ruleCondition(facts: RuleFacts): RuleCondition {
  const { generation, evicted } = facts;
  const { reason, message = "", status = "False" } = progressOf(facts);
  const done =
    evicted > 0 ? [`${count(evicted, "pod", "pods")} evicted since starting the controller.`] : [];
  return {
    type: "EvictionInProgress",
    status,
    reason,
    message: [...(message === "" ? [] : [message]), ...done].join(" "),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

interface Progress {
  readonly reason: string;
  readonly message?: string;
  readonly status?: string;
}

function progressOf({ effect, pods, namespaces, ...facts }: RuleFacts): Progress {
  const where = count(namespaces, "namespace", "different namespaces");
  if (effect === "NoExecute") {
    if (pods === 0) return { reason: facts.evicted > 0 ? "Completed" : "NotStarted" };
    const which = count(pods, "pod needs", "pods need");
    const message = `${which} to be evicted in ${where}.`;
    return { reason: "PodsPendingEviction", status: "True", message };
  }
  if (effect !== "None")
    return {
      reason: "OtherEffect",
      message: "Eviction only happens for the NoExecute effect.",
    };
  const published = count(facts.published, "published device", "published devices");
  const allocated = count(facts.allocated, "allocated device", "allocated devices");
  return {
    reason: "NoEffect",
    message: `${published} selected. ${allocated} selected. ${count(pods, "pod", "pods")} would be evicted in ${where} if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.`,
  };
}

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`;
