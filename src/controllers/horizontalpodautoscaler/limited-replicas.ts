import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
} from "../../api/autoscaling/v2/horizontal-pod-autoscaler-spec.ts";
import { changeIn, type ScalingHistory } from "./scaling-history.ts";

export interface LimitInput {
  readonly current: number;
  /** What the metrics ask for. */
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  /** How long higher recommendations count where the behaviour does not say it. */
  readonly downscaleStabilizationMs: number;
  readonly now: number;
}

/** A number of pods, and why it is this one. */
export interface Limited {
  readonly replicas: number;
  readonly reason: string;
  readonly message: string;
}

export interface LimitedReplicas {
  readonly replicas: number;
  readonly history: ScalingHistory;
  /** The reason and message of `AbleToScale`. */
  readonly able: Omit<Limited, "replicas">;
  /** The status, reason and message of `ScalingLimited`. */
  readonly limited: Omit<Limited, "replicas"> & { readonly status: "True" | "False" };
}

/** Limits how far and how fast the number of pods changes. */
export function limitedReplicas(input: LimitInput, history: ScalingHistory): LimitedReplicas {
  const { desired, behavior } = input;
  const rules = behavior && {
    up: behavior.scaleUp ?? {},
    down: behavior.scaleDown ?? {},
  };
  const stabilized = rules
    ? stabilizedByRules(input, history, rules)
    : stabilizedByWindow(input, history);
  const wanted = stabilized.replicas;
  const limit = rules
    ? limitedByRules({ ...input, desired: wanted }, history, rules)
    : limitedByDefault({ ...input, desired: wanted });
  const { replicas, reason, message } = limit;
  return {
    replicas,
    history: { ...history, recommendations: stabilized.recommendations },
    able:
      wanted === desired
        ? { reason: "ReadyForNewScale", message: "recommended size matches current size" }
        : { reason: stabilized.reason, message: stabilized.message },
    limited: { status: replicas === wanted ? "False" : "True", reason, message },
  };
}

interface Rules {
  readonly up: HPAScalingRules;
  readonly down: HPAScalingRules;
}

interface Stabilized extends Limited {
  readonly recommendations: ScalingHistory["recommendations"];
}

const recentlyHigher = {
  reason: "ScaleDownStabilized",
  message:
    "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const recentlyLower = {
  reason: "ScaleUpStabilized",
  message:
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

/** The highest recommendation of the window. */
function stabilizedByWindow(
  { desired, downscaleStabilizationMs, now }: LimitInput,
  history: ScalingHistory,
): Stabilized {
  const recent = history.recommendations.filter(({ at }) => at >= now - downscaleStabilizationMs);
  return {
    replicas: Math.max(desired, ...recent.map(({ replicas }) => replicas)),
    recommendations: [...recent, { replicas: desired, at: now }],
    ...recentlyHigher,
  };
}

/** The current number, moved into the range of the recommendations in the windows of both directions. */
function stabilizedByRules(
  { current, desired, downscaleStabilizationMs, now }: LimitInput,
  { recommendations }: ScalingHistory,
  { up, down }: Rules,
): Stabilized {
  const upMs = (up.stabilizationWindowSeconds ?? 0) * 1000;
  const downSeconds = down.stabilizationWindowSeconds;
  const downMs = downSeconds === undefined ? downscaleStabilizationMs : downSeconds * 1000;
  const within = (ms: number): number[] =>
    recommendations.filter(({ at }) => at > now - ms).map(({ replicas }) => replicas);
  const lowest = Math.min(desired, ...within(upMs));
  const highest = Math.max(desired, ...within(downMs));
  const kept = recommendations.filter(({ at }) => at >= now - Math.max(upMs, downMs));
  return {
    replicas: Math.min(Math.max(current, lowest), highest),
    recommendations: [...kept, { replicas: desired, at: now }],
    ...(desired >= current ? recentlyLower : recentlyHigher),
  };
}

const inRange = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooFew = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const tooMany = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFast = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

type RateInput = Pick<LimitInput, "current" | "desired" | "min" | "max" | "now">;

/** Without a behaviour, the number of pods at most doubles, or reaches 4. */
function limitedByDefault({ current, desired, min, max }: RateInput): Limited {
  const fastest = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, ...tooFew };
  if (desired <= Math.min(max, fastest)) return { replicas: desired, ...inRange };
  return max > fastest ? { replicas: fastest, ...tooFast } : { replicas: max, ...tooMany };
}

function limitedByRules(input: RateInput, history: ScalingHistory, { up, down }: Rules): Limited {
  const { current, desired, min, max } = input;
  if (desired > current) {
    const fastest = Math.max(current, upLimit(input, history, up));
    if (desired > Math.min(max, fastest))
      return max > fastest ? { replicas: fastest, ...tooFast } : { replicas: max, ...tooMany };
  } else if (desired < current) {
    const fastest = Math.min(current, downLimit(input, history, down));
    if (desired < Math.max(min, fastest))
      return min < fastest ? { replicas: fastest, ...tooFastDown } : { replicas: min, ...tooFew };
  }
  return { replicas: desired, ...inRange };
}

/** How many pods there may be at most. */
function upLimit(input: RateInput, history: ScalingHistory, rules: HPAScalingRules): number {
  if (rules.selectPolicy === "Disabled") return input.current;
  const limits = starts(input, history, rules).map(({ from, type, value }) =>
    type === "Pods" ? from + value : Math.ceil(from * (1 + value / 100)),
  );
  return rules.selectPolicy === "Min" ? Math.min(...limits) : Math.max(...limits);
}

/** How many pods there must be at least. */
function downLimit(input: RateInput, history: ScalingHistory, rules: HPAScalingRules): number {
  if (rules.selectPolicy === "Disabled") return input.current;
  const limits = starts(input, history, rules).map(({ from, type, value }) =>
    type === "Pods" ? from - value : Math.trunc(from * (1 - value / 100)),
  );
  return rules.selectPolicy === "Min" ? Math.max(...limits) : Math.min(...limits);
}

/** How many pods there were when the period of each policy began. */
const starts = (
  { current, now }: RateInput,
  { scaledUp, scaledDown }: ScalingHistory,
  { policies = [] }: HPAScalingRules,
) =>
  policies.map(({ type, value, periodSeconds }) => ({
    type,
    value,
    from:
      current - changeIn(scaledUp, periodSeconds, now) + changeIn(scaledDown, periodSeconds, now),
  }));
