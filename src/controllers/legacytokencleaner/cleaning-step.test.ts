import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Secret } from "../../api/core/v1/secret.ts";
import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { type CleaningStep, cleaningStep } from "./cleaning-step.ts";

const type = "kubernetes.io/service-account-token";
const nameKey = "kubernetes.io/service-account.name";
const uidKey = "kubernetes.io/service-account.uid";
const lastUsed = "kubernetes.io/legacy-token-last-used";
const invalidSince = "kubernetes.io/legacy-token-invalid-since";
const day = 24 * 3_600_000;

interface Given {
  readonly type?: string;
  readonly created?: string;
  readonly deleted?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly account?: string;
  readonly uid?: string;
  readonly listed?: readonly string[];
  readonly mounted?: boolean;
}

each<[title: string, given: Given, step: CleaningStep]>([
  ["an unused token is marked invalid", {}, "mark invalid"],
  ["a secret of another type is kept", { type: "Opaque" }, "keep"],
  ["a young token is kept", { created: "2026-01-11T12:00:00Z" }, "keep"],
  ["a token that is being deleted is kept", { deleted: true }, "keep"],
  ["a token used on the oldest day that counts is kept", used("2026-01-11"), "keep"],
  ["a token used before that is not", used("2026-01-10"), "mark invalid"],
  ["a token whose last use cannot be read is kept", used("never"), "keep"],
  ["a token used on a day that does not exist is kept", used("2026-02-30"), "keep"],
  ["a token without an account is kept", { account: "" }, "keep"],
  ["a token whose account is gone is kept", { account: "other" }, "keep"],
  ["a token of an earlier account of the name is kept", { uid: "u0" }, "keep"],
  ["a token of an account without a uid is its account's", { uid: "" }, "mark invalid"],
  ["a token that a user made is kept", { listed: ["other"] }, "keep"],
  ["a token that pods use is kept", { mounted: true }, "keep"],
  ["an invalid mark that cannot be read is set again", invalid("x"), "mark invalid"],
  ["a token that is invalid for a short time is kept", invalid("2026-01-11"), "keep"],
  ["a token that is invalid for long is deleted", invalid("2026-01-10"), "delete"],
  [
    "an invalid token that was used again is kept",
    { labels: { [lastUsed]: "2026-01-20", [invalidSince]: "2026-01-01" } },
    "keep",
  ],
])("cleaningStep: %s", (_title, given, step) => {
  const { account = "robot", uid = "u1", listed = ["token"] } = given;
  const secret: Secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: given.type ?? type,
    metadata: {
      name: "token",
      namespace: "a",
      creationTimestamp: given.created ?? "2026-01-01T00:00:00Z",
      ...(given.deleted && { deletionTimestamp: "2026-01-20T00:00:00Z" }),
      labels: given.labels,
      annotations: { [nameKey]: account, [uidKey]: uid },
    },
  };
  const robot: ServiceAccount = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot", namespace: "a", uid: "u1" },
    secrets: listed.map((name) => ({ name })),
  };
  const facts = {
    now: Date.parse("2026-01-21T12:00:00Z"),
    period: 10 * day,
    account: (namespace: string, name: string) =>
      namespace === "a" && name === "robot" ? robot : undefined,
    isMounted: () => given.mounted === true,
  };
  expect(cleaningStep(secret, facts)).toBe(step);
});

function used(on: string): Given {
  return { labels: { [lastUsed]: on } };
}
function invalid(since: string): Given {
  return { labels: { [invalidSince]: since } };
}
