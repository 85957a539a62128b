import { sameValue } from "../../schema/language/validate.ts";

/** When the server reconciles a registration: at its start, always, or never. */
export type Management = "onstart" | "true" | undefined;

/** The label that tells when a registration is reconciled. */
export const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

export interface RegistrationState {
  /** The desired registration; undefined for none. */
  readonly desired: { readonly management: "onstart" | "true"; readonly spec: object } | undefined;
  /** The existing registration. */
  readonly current: { readonly management: Management; readonly spec: object } | undefined;
  /** Whether it existed when the server started. */
  readonly existedAtStart: boolean;
  /** Whether it was reconciled before. */
  readonly hasSynced: boolean;
}

/** The next step of reconciling a registration; undefined if there is nothing to do. */
export function registrationStep({
  desired,
  current,
  existedAtStart,
  hasSynced,
}: RegistrationState): "create" | "update" | "delete" | undefined {
  if (desired?.management === "onstart" && hasSynced) return undefined;
  if (!current) return desired && "create";
  if (current.management === undefined) return undefined;
  if (current.management === "onstart" && (!existedAtStart || hasSynced)) return undefined;
  if (!desired) return "delete";
  return sameValue(desired.spec, current.spec) ? undefined : "update";
}

/** The management of an object, by its labels. */
export function managementOf(labels: Readonly<Record<string, string>> | undefined): Management {
  const value = labels && Object.hasOwn(labels, managedLabel) ? labels[managedLabel] : undefined;
  return value === "onstart" || value === "true" ? value : undefined;
}
