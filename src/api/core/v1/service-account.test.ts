import { expect, test } from "vitest";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { write } from "../../write.test-support.ts";
import { ServiceAccount } from "./service-account.ts";

for (const recorded of recordedCases("serviceaccounts"))
  test(`ServiceAccount: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(ServiceAccount as never, recorded);
  });

const account = (more: Partial<ServiceAccount>): ServiceAccount => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "a" },
  ...more,
});

test("ServiceAccount: of its secrets only the names are kept", () => {
  const object = account({
    secrets: [{ kind: "Secret", name: "s", namespace: "n" }, { uid: "1" }],
  });
  ServiceAccount.strategy.prepareCreate?.(object as never, write);
  expect(object.secrets).toEqual([{ name: "s" }, {}]);
});

test("ServiceAccount: the annotation that is deprecated is warned of when it is new", () => {
  const annotations = { "kubernetes.io/enforce-mountable-secrets": "true" };
  const marked = account({ metadata: { name: "a", annotations } }) as never;
  const { warnings } = ServiceAccount.strategy;
  expect([
    warnings?.(marked, undefined),
    warnings?.(marked, account({}) as never),
    warnings?.(marked, marked),
  ]).toEqual([...Array(2).fill([expect.stringContaining("deprecated in v1.32+")]), []]);
});
