import { expect, test } from "vitest";
import { admissionReview } from "./admission-review.ts";

test("admissionReview: members are in upstream's order", () => {
  const name = { group: "", version: "v1" };
  const request = {
    kind: { ...name, kind: "Pod" },
    resource: { ...name, resource: "pods" },
    requestKind: { ...name, kind: "Pod" },
    requestResource: { ...name, resource: "pods" },
    operation: "DELETE",
    userInfo: { username: "u" },
    dryRun: false,
    options: null,
  } as const;
  const review = { uid: "1", version: "v1", request, object: "null", oldObject: '{"a":1}' };
  expect(admissionReview(review)).toBe(
    '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},"requestKind":{"group":"","version":"v1","kind":"Pod"},"requestResource":{"group":"","version":"v1","resource":"pods"},"operation":"DELETE","userInfo":{"username":"u"},"object":null,"oldObject":{"a":1},"dryRun":false,"options":null}}\n',
  );
});
