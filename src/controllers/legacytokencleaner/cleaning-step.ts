import {
  dayOf,
  invalidSinceLabel,
  isDay,
  lastUsedLabel,
} from "../../api/core/v1/legacy-token-tracking.ts";
import type { Secret } from "../../api/core/v1/secret.ts";
import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { serviceAccountTokenKind } from "../../api/core/v1/service-account-token-secret.ts";
import { accountOf } from "../serviceaccounttoken/token-secret.ts";

/** What becomes of an auto-generated token that nobody uses: first it is invalid, then it is deleted. */
export type CleaningStep = "keep" | "mark invalid" | "delete";

export interface CleaningFacts {
  readonly now: number;
  /** For how long an unused token is kept, and then for how long it is kept invalid, in milliseconds. */
  readonly period: number;
  /** The account of a namespace by its name. */
  readonly account: (namespace: string, name: string) => ServiceAccount | undefined;
  /** Whether a pod of the namespace refers to the secret. */
  readonly isMounted: (namespace: string, name: string) => boolean;
}

/**
 * Decides on a secret. Only tokens that their account lists are auto-generated: others were made by
 * users, and are kept.
 */
export function cleaningStep(secret: Secret, facts: CleaningFacts): CleaningStep {
  const { type, metadata } = secret;
  const { labels = {}, namespace = "", name = "" } = metadata;
  const oldest = facts.now - facts.period;
  if (type !== serviceAccountTokenKind || metadata.deletionTimestamp) return "keep";
  if (Date.parse(metadata.creationTimestamp ?? "") >= oldest) return "keep";
  // A token without the label has not been used since uses are recorded.
  const lastUsed = labels[lastUsedLabel];
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= dayOf(oldest))) return "keep";
  if (!isListed(secret, facts) || facts.isMounted(namespace, name)) return "keep";
  const invalidSince = labels[invalidSinceLabel] ?? "";
  if (!isDay(invalidSince)) return "mark invalid";
  return invalidSince >= dayOf(oldest) ? "keep" : "delete";
}

/** Whether the account that a secret names exists and lists the secret. */
function isListed(secret: Secret, { account: find }: CleaningFacts): boolean {
  const { namespace = "", name: secretName } = secret.metadata;
  const { name, uid } = accountOf(secret);
  const account = name === "" ? undefined : find(namespace, name);
  if (!account || (uid !== "" && uid !== account.metadata.uid)) return false;
  return account.secrets?.some((one) => one.name === secretName) === true;
}

/** The first moment of the day after a day: the day itself may have begun without records. */
export const startOfNextDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) + dayMs;

const dayMs = 24 * 3_600_000;
