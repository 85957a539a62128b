import { bool, int64, message, named, string, strings } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { validateFieldManager } from "./object-meta-validation.ts";
import { typeMeta } from "./type-meta.ts";

const dryRun = () => strings(1).atomic().doc("`All`: do everything but keep nothing.");
const fieldManager = (tag: number) => string(tag).doc("Who makes the change.");
const fieldValidation = (tag: number) =>
  string(tag).doc("What becomes of unknown and duplicate fields: Ignore, Warn or Strict.");

export const CreateOptions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.CreateOptions", {
  ...typeMeta,
  dryRun: dryRun(),
  fieldManager: fieldManager(3),
  fieldValidation: fieldValidation(4),
}).doc("How an object is to be created.");
export interface CreateOptions extends Infer<typeof CreateOptions> {}

export const UpdateOptions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.UpdateOptions", {
  ...typeMeta,
  dryRun: dryRun(),
  fieldManager: fieldManager(2),
  fieldValidation: fieldValidation(3),
}).doc("How an object is to be replaced.");
export interface UpdateOptions extends Infer<typeof UpdateOptions> {}

export const PatchOptions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.PatchOptions", {
  ...typeMeta,
  dryRun: dryRun(),
  force: bool(2).pointer().doc("Whether apply takes fields that others manage."),
  fieldManager: fieldManager(3),
  fieldValidation: fieldValidation(4),
}).doc("How an object is to be patched.");
export interface PatchOptions extends Infer<typeof PatchOptions> {}

export const GetOptions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.GetOptions", {
  ...typeMeta,
  resourceVersion: string(1).doc("How old the answer may be."),
}).doc("How an object is to be read.");
export interface GetOptions extends Infer<typeof GetOptions> {}

export const ListOptions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.ListOptions", {
  ...typeMeta,
  labelSelector: string(1).doc("Which labels objects must have."),
  fieldSelector: string(2).doc("Which values fields of objects must have."),
  watch: bool(3).doc("Whether to send changes as they happen instead of a list."),
  allowWatchBookmarks: bool(9).doc("Whether a watch may tell of versions without a change."),
  resourceVersion: string(4).doc("How old the answer may be, or where a watch begins."),
  resourceVersionMatch: named(10, "v1.ResourceVersionMatch")
    .known("NotOlderThan", "Exact")
    .doc("How resourceVersion is meant."),
  timeoutSeconds: int64(5).pointer().doc("Seconds after which the request ends."),
  limit: int64(7).doc("How many objects a page has at most."),
  continue: string(8).doc("Where the page begins, from the page before."),
  sendInitialEvents: bool(11)
    .pointer()
    .doc("Whether a watch begins with what there is, and a bookmark after it."),
  shardSelector: string(15).doc("Which shard of the objects is asked for."),
}).doc("Which objects are to be listed or watched, and how.");
export interface ListOptions extends Infer<typeof ListOptions> {}

export const Preconditions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions", {
  uid: named(1, "types.UID").pointer().doc("The UID that the object must have."),
  resourceVersion: string(2).pointer().doc("The version that the object must have."),
}).doc("What must hold for a deletion to take place.");
export interface Preconditions extends Infer<typeof Preconditions> {}

export const DeleteOptions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", {
  ...typeMeta,
  gracePeriodSeconds: int64(1).pointer().doc("Seconds of grace; 0 deletes at once."),
  preconditions: message(2, Preconditions).doc("What must hold, or else nothing is deleted."),
  orphanDependents: bool(3).pointer().doc("Older way to ask that dependents are kept."),
  propagationPolicy: named(4, "v1.DeletionPropagation")
    .pointer()
    .known("Orphan", "Background", "Foreground")
    .doc("What becomes of the objects that belong to this one."),
  dryRun: strings(5).atomic().doc("`All`: do everything but delete nothing."),
  ignoreStoreReadErrorWithClusterBreakingPotential: bool(6)
    .pointer()
    .doc("Whether an object that cannot be read is deleted nevertheless, without finalizers."),
}).doc("How an object is to be deleted.");
export interface DeleteOptions extends Infer<typeof DeleteOptions> {}

/** The rules of a query that creates or replaces. */
export function validateWriteOptions(options: CreateOptions | UpdateOptions, at: At): void {
  validateFieldManager(options.fieldManager ?? "", at.child("fieldManager"));
  validateDryRun(options.dryRun ?? [], at);
  validateFieldValidation(options.fieldValidation ?? "", at);
}

/** The rules of a query that patches, or applies. */
export function validatePatchOptions(options: PatchOptions, apply: boolean, at: At): void {
  if (apply && !options.fieldManager) at.required("fieldManager", "is required for apply patch");
  if (!apply && options.force !== undefined)
    at.forbidden("force", "may not be specified for non-apply patch");
  validateWriteOptions(options, at);
}

/** The rules of the options of a deletion. */
export function validateDeleteOptions(options: DeleteOptions, at: At): void {
  const { orphanDependents, propagationPolicy, dryRun = [] } = options;
  if (propagationPolicy !== undefined) {
    if (orphanDependents !== undefined)
      at.invalid(
        "propagationPolicy",
        propagationPolicy,
        "orphanDependents and deletionPropagation cannot be both set",
      );
    if (!propagationPolicies.slice(0, 3).includes(propagationPolicy))
      at.notSupported("propagationPolicy", propagationPolicy, propagationPolicies);
  }
  validateDryRun(dryRun, at);
  validateIgnoreStoreReadError(options, at);
}

const propagationPolicies = ["Foreground", "Background", "Orphan", "nil"];

function validateDryRun(values: readonly string[], at: At): void {
  if (values.some((value) => value !== "All")) at.notSupported("dryRun", values, ["All"]);
}

function validateFieldValidation(value: string, at: At): void {
  const values = ["", "Ignore", "Strict", "Warn"];
  if (!values.includes(value)) at.notSupported("fieldValidation", value, values);
}

function validateIgnoreStoreReadError(options: DeleteOptions, at: At): void {
  const name = "ignoreStoreReadErrorWithClusterBreakingPotential";
  if (!options[name]) return;
  const others = [
    ["dryRun", (options.dryRun ?? []).length > 0],
    ["propagationPolicy", options.propagationPolicy !== undefined],
    ["orphanDependents", options.orphanDependents !== undefined],
    ["gracePeriodSeconds", options.gracePeriodSeconds !== undefined],
    ["preconditions", options.preconditions !== undefined],
  ] as const;
  for (const [other, given] of others)
    if (given) at.invalid(name, true, `cannot be set together with .${other}`);
}
