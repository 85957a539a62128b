import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { withPodCondition } from "../../api/core/v1/pod/pod-status.ts";
import type { DeleteOptions } from "../../api/meta/v1/options.ts";
import { badRequest, conflict, invalid, StatusError } from "../../api/meta/v1/status-error.ts";
import { type Eviction, EvictionKind } from "../../api/policy/v1/eviction.ts";
import {
  budgetsFor,
  decideEviction,
  isEnding,
  needsNoBudget,
  stillProcessed,
} from "../../api/policy/v1/eviction-decision.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import { At } from "../../schema/language/report.ts";
import type { Draft } from "../../schema/language/struct.ts";
import { type Address, notFoundAt } from "../objects/address.ts";
import { now } from "../objects/environment.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { addressOf, anyKind } from "../objects/reader.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { checkNamespace } from "../verbs/create.ts";
import { deleteObject } from "../verbs/delete.ts";
import { update } from "../verbs/update.ts";
import { type VerbParts, withoutAdmission } from "../verbs/verb-parts.ts";
import { Writer } from "../verbs/writer.ts";

/** Deletes a pod if its disruption budget allows that. */
export async function evict(
  parts: VerbParts,
  address: Address,
  { draft, dryRun, context }: EvictionRequest,
): Promise<void> {
  const options = await admitEviction(parts, address, { draft, dryRun, context });
  const isDryRun = (options.dryRun ?? []).length > 0;
  const evicting = { options, context: { ...context, dryRun: isDryRun } };
  // Admission has seen the eviction, so it does not see the writes to the pod.
  const admitted = withoutAdmission(parts);
  if (await evictWithoutBudget(admitted, address, evicting)) return;
  context.checkpoint?.();
  const { object, budget } = await spendBudget(parts, address, isDryRun);
  const begun = { options, context: withoutTimeout(evicting.context) };
  if (budget === undefined) return deletePod(admitted, address, begun);
  try {
    await deletePod(admitted, address, withVersion(begun, object));
  } catch (error) {
    const isFromVersion = StatusError.is(error, "Conflict") && !hasVersion(options);
    throw isFromVersion ? stillProcessed(budget) : error;
  }
}

export interface EvictionRequest {
  readonly draft: ObjectDraft;
  /** The values of `dryRun` in the query. */
  readonly dryRun: readonly string[];
  readonly context: RequestContext;
}

interface Evicting {
  readonly options: DeleteOptions;
  readonly context: RequestContext;
}

/** Runs admission on an eviction, and returns the options with which the pod is deleted. */
async function admitEviction(
  { admission }: VerbParts,
  address: Address,
  { draft, dryRun, context }: EvictionRequest,
): Promise<DeleteOptions> {
  const objectKind = anyKind(EvictionKind);
  checkNamespace(objectKind, address.namespace, draft);
  const attributes = {
    operation: "CREATE",
    address,
    subresource: "eviction",
    objectKind,
    old: undefined,
    context,
  } as const;
  await admission.admit({ ...attributes, object: draft });
  const options = optionsOf(address, draft as unknown as Eviction, dryRun);
  await admission.validate({ ...attributes, object: draft as ApiObject });
  return options;
}

function optionsOf(address: Address, eviction: Eviction, dryRun: readonly string[]): DeleteOptions {
  if (eviction.metadata.name !== address.name)
    throw badRequest("name in URL does not match name in Eviction object");
  const options: DeleteOptions = eviction.deleteOptions ?? {};
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential) {
    const at = At.root();
    at.invalid(
      "deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential",
      true,
      "can not be set for pod eviction, try after removing the option",
    );
    throw invalid({ group: "policy", resource: "Eviction", name: address.name }, at.errors);
  }
  const { dryRun: own = [] } = options;
  if (own.length > 0 && dryRun.length > 0 && own.join() !== dryRun.join())
    throw new StatusError(
      "",
      `Non-matching dry-run options in request and content: [${dryRun.join(" ")}] and [${own.join(" ")}]`,
    );
  return own.length > 0 || dryRun.length === 0 ? options : { ...options, dryRun };
}

/** How often an eviction is tried if the pod or the budget is written at the same time. */
const attempts = 20;

/** Deletes a pod that needs no budget, such as one that has ended; false if it needs one. */
async function evictWithoutBudget(
  parts: VerbParts,
  address: Address,
  evicting: Evicting,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const { object } = await parts.reader.read(address);
    const pod = object as unknown as Pod;
    if (!needsNoBudget(pod)) return false;
    const isFixed = !isEnding(pod) && !hasVersion(evicting.options);
    try {
      await deletePod(parts, address, isFixed ? withVersion(evicting, object) : evicting);
      return true;
    } catch (error) {
      const mayRetry = StatusError.is(error, "Conflict") && !hasVersion(evicting.options);
      if (!mayRetry || attempt >= attempts) throw error;
    }
  }
}

/**
 * Takes one disruption from the budget of a pod. `budget` is set if none was taken because the pod is
 * not ready: then the pod must be deleted in the version that was read.
 */
async function spendBudget(
  parts: VerbParts,
  address: Address,
  isDryRun: boolean,
): Promise<{ readonly object: ApiObject; readonly budget: string | undefined }> {
  for (let attempt = 1; ; attempt++) {
    const { object } = await parts.reader.read(address);
    const pod = object as unknown as Pod;
    const budgets = budgetsFor(pod, budgetsIn(parts, address.namespace));
    const decision = decideEviction(pod, budgets, now(parts.environment));
    if (decision.type === "delete")
      return { object, budget: decision.asSeen ? budgets[0]?.metadata.name : undefined };
    try {
      if (!isDryRun) await writeBudget(parts, decision.budget);
      return { object, budget: undefined };
    } catch (error) {
      if (!StatusError.is(error, "Conflict") || attempt >= attempts) throw error;
    }
  }
}

const budgetsIn = ({ reader }: VerbParts, namespace: string): readonly PodDisruptionBudget[] =>
  reader.serves(PodDisruptionBudget) ? reader.listCached(PodDisruptionBudget, namespace) : [];

/** Writes the status of a budget as the server; throws a Conflict if another write came first. */
async function writeBudget(parts: VerbParts, budget: PodDisruptionBudget): Promise<void> {
  const { name = "", namespace = "" } = budget.metadata;
  const key = { namespace, name };
  const isWritten = await new Writer(parts).update(PodDisruptionBudget, key, () => budget, {
    subresource: "status",
  });
  if (!isWritten) throw notFoundAt(addressOf(PodDisruptionBudget, key));
}

/** Sets a condition with the reason in the pod, and deletes it. */
async function deletePod(
  parts: VerbParts,
  address: Address,
  { options, context }: Evicting,
): Promise<void> {
  if (context.dryRun) {
    await deleteObject(parts, address, { options, context });
    return;
  }
  const change = (existing: ApiObject | undefined): ObjectDraft => {
    checkPreconditions(address.name, options, existing?.metadata ?? {});
    return withReason(existing as unknown as Pod, now(parts.environment)) as unknown as ObjectDraft;
  };
  const { object } = await update(
    parts,
    { address, subresource: "status", change, isOwned: true },
    context,
  );
  const { metadata } = "object" in object ? object.object : object;
  const after = hasVersion(options) ? withVersion({ options, context }, { metadata }) : { options };
  await deleteObject(parts, address, { options: after.options, context: withoutTimeout(context) });
}

/** Once the budget is spent, the pod is deleted even if the request times out. */
const withoutTimeout = ({ checkpoint: _, ...context }: RequestContext): RequestContext => context;

function withReason(old: Pod, time: string): Draft<Pod> {
  const pod = structuredClone(old) as Draft<Pod>;
  const reason = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  pod.status.conditions = withPodCondition(
    old.status,
    reason,
    time,
  ) as typeof pod.status.conditions;
  return pod;
}

function checkPreconditions(
  name: string,
  { preconditions }: DeleteOptions,
  actual: ApiObject["metadata"],
): void {
  const rejection = (why: string) => conflict({ group: "", resource: "Pod", name }, why);
  const { uid, resourceVersion: version } = preconditions ?? {};
  if (uid && uid !== actual.uid)
    throw rejection(
      `the UID in the precondition (${uid}) does not match the UID in record (${actual.uid}). The object might have been deleted and then recreated`,
    );
  if (version && version !== actual.resourceVersion)
    throw rejection(
      `the ResourceVersion in the precondition (${version}) does not match the ResourceVersion in record (${actual.resourceVersion}). The object might have been modified`,
    );
}

const hasVersion = ({ preconditions }: DeleteOptions): boolean =>
  preconditions?.resourceVersion !== undefined;

function withVersion(
  { options, context }: Evicting,
  { metadata }: Pick<ApiObject, "metadata">,
): Evicting {
  const { resourceVersion } = metadata;
  return {
    options: { ...options, preconditions: { ...options.preconditions, resourceVersion } },
    context,
  };
}
