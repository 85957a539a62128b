import { sameValue } from "../../schema/language/validate.ts";

/** How a registration is kept: as it is when the server starts, always, or not by the server at all. */
export type Management = "onstart" | "true" | undefined;

/** By which a registration says how it is kept. */
export const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

export interface RegistrationState {
  /** What should be registered; undefined for nothing. */
  readonly desired: { readonly management: "onstart" | "true"; readonly spec: object } | undefined;
  /** What is registered. */
  readonly current: { readonly management: Management; readonly spec: object } | undefined;
  /** Whether it was there when the server started. */
  readonly wasThere: boolean;
  /** Whether it was put right once already. */
  readonly hasSynced: boolean;
}

/** What is to be done about a registration. */
export function registrationStep({
  desired,
  current,
  wasThere,
  hasSynced,
}: RegistrationState): "create" | "update" | "delete" | undefined {
  if (desired?.management === "onstart" && hasSynced) return undefined;
  if (!current) return desired && "create";
  if (current.management === undefined) return undefined;
  if (current.management === "onstart" && (!wasThere || hasSynced)) return undefined;
  if (!desired) return "delete";
  return sameValue(desired.spec, current.spec) ? undefined : "update";
}

/** How an object says that it is kept. */
export function managementOf(labels: Readonly<Record<string, string>> | undefined): Management {
  const value = labels && Object.hasOwn(labels, managedLabel) ? labels[managedLabel] : undefined;
  return value === "onstart" || value === "true" ? value : undefined;
}
