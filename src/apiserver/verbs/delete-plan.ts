import type { DeleteOptions } from "../../api/meta/v1/options.ts";
import { formatTime, parseTime } from "../../schema/values/time.ts";
import { type Environment, now } from "../objects/environment.ts";
import { type AnyKind, type ApiObject, canonical, type ObjectDraft } from "../objects/object.ts";

type Time = Pick<Environment, "clock">;

/** The effect of a request to delete an object. */
export type DeletionPlan =
  /** It is being deleted already: nothing to do. */
  | { readonly type: "pending" }
  /** It is removed at once. */
  | { readonly type: "remove" }
  /** It is written with a deletion timestamp first, and removed if nothing holds it. */
  | { readonly type: "mark"; readonly marked: ApiObject; readonly thenRemove: boolean };

/** Decides the effect of a request to delete an object. */
export function planDelete(
  environment: Time,
  kind: AnyKind,
  { object, options }: { readonly object: ApiObject; readonly options: DeleteOptions },
): DeletionPlan {
  const { strategy } = kind;
  const { metadata: old } = object;
  if (strategy.beginDelete) {
    if (!old.deletionTimestamp) return planFirstStep(environment, kind, { object, options });
    if (!strategy.mayDelete?.(object as never)) return { type: "pending" };
  }
  const grace = graceOf(environment, object, { strategy, options });
  if (grace === "pending") return { type: "pending" };
  const finalizers = finalizersAfter(strategy.dependents, old.finalizers ?? [], options);
  const held = finalizers.length > 0;
  if (!held && grace === undefined) return { type: "remove" };
  const draft = structuredClone(object) as ObjectDraft;
  const { metadata } = draft;
  metadata.finalizers = [...finalizers];
  const generation = old.generation ?? 0;
  if (!old.deletionTimestamp && generation > 0) metadata.generation = generation + 1;
  const end = grace ?? { at: earlier(old.deletionTimestamp, now(environment)), seconds: 0 };
  metadata.deletionTimestamp = end.at;
  metadata.deletionGracePeriodSeconds = end.seconds;
  const thenRemove = !held && end.seconds === 0;
  return { type: "mark", marked: canonical(kind, draft), thenRemove };
}

const earlier = (a: string | undefined, b: string): string => (a !== undefined && a < b ? a : b);

/** Some kinds are deleted in two steps: the first marks the object as the kind defines. */
function planFirstStep(
  environment: Time,
  kind: AnyKind,
  { object, options }: { readonly object: ApiObject; readonly options: DeleteOptions },
): DeletionPlan {
  const draft = structuredClone(object) as ObjectDraft;
  draft.metadata.deletionTimestamp = now(environment);
  kind.strategy.beginDelete?.(draft as never, options);
  return { type: "mark", marked: canonical(kind, draft), thenRemove: false };
}

/** When an object of a kind with graceful deletion is deleted; undefined: at once, without a mark. */
function graceOf(
  environment: Time,
  object: ApiObject,
  { strategy, options }: { strategy: AnyKind["strategy"]; options: DeleteOptions },
): { at: string; seconds: number } | "pending" | undefined {
  if (!strategy.graceSeconds) return undefined;
  const asked =
    options.gracePeriodSeconds === undefined ? undefined : atLeast(options.gracePeriodSeconds);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (!deletionTimestamp) {
    const seconds = strategy.graceSeconds(object as never, asked);
    return { at: now(environment, seconds), seconds };
  }
  const current = atLeast(deletionGracePeriodSeconds);
  if (current === 0) return undefined;
  // A grace period can only be shortened.
  if (asked === undefined || asked >= current) return "pending";
  const end = parseTime(deletionTimestamp).seconds - current + asked;
  if (end * 1000 >= environment.clock.now())
    return { at: formatTime({ seconds: end, nanos: 0 }), seconds: asked };
  return { at: now(environment), seconds: asked === 0 ? 0 : 1 };
}

/** A negative grace period means one second. */
const atLeast = (seconds: number): number => (seconds < 0 ? 1 : seconds);

/** Foreground and orphan deletion hold the object until the garbage collector has handled its dependents. */
function finalizersAfter(
  standard: "delete" | "orphan" | "ignore" | undefined,
  finalizers: readonly string[],
  options: DeleteOptions,
): readonly string[] {
  const kept = finalizers.filter((name) => name !== "orphan" && name !== "foregroundDeletion");
  const policy = standard === "ignore" ? undefined : policyOf(standard, finalizers, options);
  if (policy === "Orphan") kept.push("orphan");
  if (policy === "Foreground") kept.push("foregroundDeletion");
  const isSame = kept.length === finalizers.length && kept.every((one) => finalizers.includes(one));
  return isSame ? finalizers : kept;
}

function policyOf(
  standard: "delete" | "orphan" | undefined,
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): string {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy !== undefined) return propagationPolicy;
  if (finalizers.includes("orphan")) return "Orphan";
  if (finalizers.includes("foregroundDeletion")) return "Foreground";
  return standard === "orphan" ? "Orphan" : "Background";
}
