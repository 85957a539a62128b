import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { errorStatus, status, statusMessage } from "../framework/status.ts";
import {
  endsGroup,
  groupCondition,
  groupOutcome,
  type PodOutcome,
  podFailure,
  resultOf,
} from "./group-outcome.ts";

const fits: PodOutcome = { needsPreemption: false };
const waits: PodOutcome = { ...fits, wait: status("Wait", "waiting for others") };
const rejected: PodOutcome = {
  needsPreemption: false,
  status: status("Unschedulable", "no room"),
  nominatedNode: "",
};
const evicting: PodOutcome = {
  needsPreemption: true,
  status: status("Unschedulable", "no room yet"),
  nominatedNode: "n",
};
const evictingAlone: PodOutcome = { ...evicting, wait: waits.wait };
const failed: PodOutcome = { needsPreemption: false, status: errorStatus(new Error("broken")) };

/** The result and message of a group, and what comes of each pod: `bound`, or its message and nominated node. */
function show(pods: readonly PodOutcome[]) {
  const group = groupOutcome(pods);
  return [
    `${resultOf(group)}: ${statusMessage(group.status)}`,
    ...pods.map((pod) => {
      const failure = podFailure(pod, group, "m");
      return failure ? `${statusMessage(failure.status)} @${failure.nominatedNode}` : "bound";
    }),
  ];
}

each<[string, readonly PodOutcome[], readonly string[]]>([
  ["all fit", [waits, fits], ["scheduled: ", "bound", "bound"]],
  ["one does not fit, and is not needed", [fits, rejected], ["scheduled: ", "bound", "no room @"]],
  [
    "too few fit",
    [waits, rejected],
    [
      "unschedulable: pod group is unschedulable",
      "pod group is unschedulable, waiting for others @",
      "no room @",
    ],
  ],
  [
    "others have to be evicted",
    [waits, evicting, fits],
    [
      "waiting_on_preemption: pod group is unschedulable, pod group is waiting for preemption to complete",
      "pod group is unschedulable, pod group is waiting for preemption to complete @m",
      "no room yet @n",
      "pod group is unschedulable, pod group is waiting for preemption to complete @m",
    ],
  ],
  [
    "evicting others does not help enough",
    [evictingAlone, rejected],
    [
      "unschedulable: pod group is unschedulable",
      "pod group is unschedulable, waiting for others @",
      "no room @",
    ],
  ],
  [
    "an error",
    [fits, failed],
    [
      "error: failed to schedule other pod from a pod group: broken",
      "failed to schedule other pod from a pod group: broken @",
      "broken @",
    ],
  ],
])("groupOutcome: %s", (_, pods, wanted) => {
  expect(show(pods)).toEqual(wanted);
});

test("groupCondition: what became of the group", () => {
  const shown = [[fits], [rejected], [failed]].map((pods) => {
    const { status, reason, message } = groupCondition(groupOutcome(pods));
    return [status, reason, message];
  });
  expect(shown).toEqual([
    ["True", "Scheduled", ""],
    ["False", "Unschedulable", "pod group is unschedulable"],
    ["False", "SchedulerError", "failed to schedule other pod from a pod group: broken"],
  ]);
});

test("endsGroup: only errors do", () => {
  expect([fits, rejected, evicting, failed].map(endsGroup)).toEqual([false, false, false, true]);
});
