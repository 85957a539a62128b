import { expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { SelectOptions } from "../../client/call-options.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import { isInScope } from "./informer-scope.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", labels: { app: "web" } },
  spec: { nodeName: "n1" },
};

test.each<[SelectOptions, boolean | undefined]>([
  [{}, true],
  [{ namespace: "default" }, true],
  [{ namespace: "other" }, false],
  [{ labelSelector: "app in (web,api)" }, true],
  [{ labelSelector: { app: "api" } }, false],
  [{ fieldSelector: "spec.nodeName=n1" }, true],
  [{ fieldSelector: { "spec.nodeName": "n2" } }, false],
  [{ fieldSelector: "spec.nodeName!=n1" }, false],
  [{ fieldSelector: "metadata.name=p,metadata.namespace=default" }, true],
  [{ fieldSelector: "spec.unheardOf=x" }, undefined],
  [{ fieldSelector: "spec.unheardOf=x,metadata.name=q" }, false],
])("%o", (scope, expected) => {
  expect(isInScope(Pod, scope, pod)).toBe(expected);
});

test("isInScope is undefined for fields that only the server can read", () => {
  const dynamic = dynamicKind(Pod);
  expect(isInScope(dynamic, { fieldSelector: "spec.nodeName=n1" }, pod)).toBeUndefined();
  expect(isInScope(dynamic, { fieldSelector: "metadata.name=q" }, pod)).toBe(false);
});
