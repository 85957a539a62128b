import { type DeleteOptions, validateDeleteOptions } from "../api/meta/v1/options.ts";
import { conflict, invalid } from "../api/meta/v1/status-error.ts";
import { At } from "../schema/report.ts";
import { formatTime, parseTime } from "../schema/time.ts";
import type { ApiObject, ObjectDraft } from "./object.ts";
import {
  type Address,
  canonical,
  kindName,
  now,
  put,
  type Registry,
  type RequestContext,
  read,
  remove,
  resourceName,
} from "./registry.ts";
import { type Stored, withVersion } from "./stored.ts";

/** What came of a deletion: the object as it was last, and whether it is gone. */
export interface Deleted {
  readonly object: ApiObject;
  readonly gone: boolean;
}

/**
 * Deletes an object, or marks it for deletion while something holds it. Tried anew whenever another
 * write came first.
 */
export async function deleteObject(
  registry: Registry,
  address: Address,
  { options, context }: { readonly options: DeleteOptions; readonly context: RequestContext },
): Promise<Deleted> {
  checkOptions(options);
  for (;;) {
    const existing = await read(registry, address);
    checkPreconditions(address, options, existing.object);
    await registry.admission.validate({
      operation: "DELETE",
      address,
      subresource: "",
      object: existing.object,
      old: existing.object,
      context,
    });
    const outcome = await tryDelete(registry, address, { existing, options, context });
    if (outcome !== "conflict") return outcome;
  }
}

function checkOptions(options: DeleteOptions): void {
  const at = At.root();
  validateDeleteOptions(options, at);
  if (at.errors.length > 0)
    throw invalid({ group: "meta.k8s.io", resource: "DeleteOptions", name: "" }, at.errors);
}

function checkPreconditions(
  address: Address,
  { preconditions }: DeleteOptions,
  { metadata }: ApiObject,
): void {
  const { uid, resourceVersion: version } = preconditions ?? {};
  if (address.kind.strategy.beginDelete) {
    if (uid !== undefined && uid !== metadata.uid)
      throw conflict(resourceName(address), precondition("UID", uid, metadata.uid));
    if (version !== undefined && version !== metadata.resourceVersion)
      throw conflict(
        resourceName(address),
        precondition("ResourceVersion", version, metadata.resourceVersion),
      );
    return;
  }
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(
      kindName(address),
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (version !== undefined && version !== metadata.resourceVersion)
    throw conflict(
      kindName(address),
      `the ResourceVersion in the precondition (${version}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

const precondition = (what: string, asked: string, is: string | undefined): string =>
  `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${is}`;

interface Attempt {
  readonly existing: Stored;
  readonly options: DeleteOptions;
  readonly context: RequestContext;
}

async function tryDelete(
  registry: Registry,
  address: Address,
  attempt: Attempt,
): Promise<Deleted | "conflict"> {
  const { existing } = attempt;
  const plan = planDelete(registry, address, attempt);
  if (plan.pending) return { object: existing.object, gone: false };
  if (plan.marked)
    return mark(registry, address, {
      ...attempt,
      marked: plan.marked,
      thenRemove: plan.thenRemove,
    });
  if (attempt.context.dryRun) return { object: existing.object, gone: true };
  const revision = await remove(registry, address, existing.revision);
  if (revision === "conflict") return revision;
  return { object: withVersion(address.kind, existing.object, revision), gone: true };
}

/** Writes the object as it is to be while it ends; removes it after that if nothing holds it. */
async function mark(
  registry: Registry,
  address: Address,
  { marked, thenRemove, existing, context }: Attempt & { marked: ApiObject; thenRemove: boolean },
): Promise<Deleted | "conflict"> {
  if (context.dryRun) return { object: marked, gone: thenRemove };
  const outcome = await put(registry, address, { object: marked, ifRevision: existing.revision });
  if (outcome === "conflict") return outcome;
  if (!thenRemove) return { object: outcome.object, gone: false };
  // Somebody else may remove it meanwhile: it is gone all the same.
  await remove(registry, address, outcome.revision);
  return { object: outcome.object, gone: true };
}

interface Plan {
  /** It is being deleted already, and nothing is to be done. */
  readonly pending?: boolean;
  /** The object as it is to be written before it goes. */
  readonly marked?: ApiObject;
  readonly thenRemove: boolean;
}

/** Decides what a request to delete does to an object. */
function planDelete(registry: Registry, { kind }: Address, { existing, options }: Attempt): Plan {
  const { strategy } = kind;
  const { metadata: old } = existing.object;
  const finalizers = finalizersAfter(strategy.dependents, old.finalizers ?? [], options);
  if (strategy.beginDelete) return planTwoSteps(registry, kind, { existing, finalizers });
  const grace = graceOf(registry, existing.object, { strategy, options });
  if (grace === "pending") return { pending: true, thenRemove: false };
  const held = finalizers.length > 0;
  if (!held && grace === undefined) return { thenRemove: true };
  const draft = structuredClone(existing.object) as ObjectDraft;
  const { metadata } = draft;
  metadata.finalizers = finalizers;
  const generation = old.generation ?? 0;
  if (!old.deletionTimestamp && generation > 0) metadata.generation = generation + 1;
  const end = grace ?? { at: earlier(old.deletionTimestamp, now(registry)), seconds: 0 };
  metadata.deletionTimestamp = end.at;
  metadata.deletionGracePeriodSeconds = end.seconds;
  return { marked: canonical(kind, draft), thenRemove: !held && end.seconds === 0 };
}

const earlier = (a: string | undefined, b: string): string => (a !== undefined && a < b ? a : b);

/** A kind that is marked at first, and removed when it says that it may be. */
function planTwoSteps(
  registry: Registry,
  kind: Address["kind"],
  { existing, finalizers }: { readonly existing: Stored; readonly finalizers: string[] },
): Plan {
  const { strategy } = kind;
  const { metadata: old } = existing.object;
  if (old.deletionTimestamp) {
    const free = strategy.mayDelete?.(existing.object as never) && !old.finalizers?.length;
    return free ? { thenRemove: true } : { pending: true, thenRemove: false };
  }
  const draft = structuredClone(existing.object) as ObjectDraft;
  draft.metadata.deletionTimestamp = now(registry);
  draft.metadata.finalizers = finalizers;
  strategy.beginDelete?.(draft as never);
  return { marked: canonical(kind, draft), thenRemove: false };
}

/** When an object of a kind that ends gracefully is to end; undefined: at once, without a mark. */
function graceOf(
  registry: Registry,
  { metadata, ...object }: ApiObject,
  { strategy, options }: { strategy: Address["kind"]["strategy"]; options: DeleteOptions },
): { at: string; seconds: number } | "pending" | undefined {
  if (!strategy.graceSeconds) return undefined;
  const asked =
    options.gracePeriodSeconds === undefined ? undefined : clampGrace(options.gracePeriodSeconds);
  const { deletionTimestamp, deletionGracePeriodSeconds: current = 0 } = metadata;
  if (!deletionTimestamp) {
    const seconds = strategy.graceSeconds({ metadata, ...object } as never, asked);
    return { at: now(registry, seconds), seconds };
  }
  if (current === 0) return undefined;
  if (asked === undefined || asked >= current) return "pending";
  const { seconds: end } = parseTime(deletionTimestamp);
  const at = formatTime({ seconds: end - current + asked, nanos: 0 });
  const time = now(registry);
  if (at >= time) return { at, seconds: asked };
  return { at: time, seconds: asked === 0 ? 0 : 1 };
}

const clampGrace = (seconds: number): number => (seconds < 0 ? 1 : seconds);

/** Foreground and orphaning deletion hold the object until the garbage collector has done its part. */
function finalizersAfter(
  standard: "delete" | "orphan" | "ignore" | undefined,
  finalizers: readonly string[],
  options: DeleteOptions,
): string[] {
  const kept = finalizers.filter((name) => name !== "orphan" && name !== "foregroundDeletion");
  if (standard === "ignore") return kept;
  const policy = policyOf(standard, finalizers, options);
  if (policy === "Orphan") kept.push("orphan");
  if (policy === "Foreground") kept.push("foregroundDeletion");
  return kept;
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
