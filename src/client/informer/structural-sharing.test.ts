import { expect, test } from "vitest";
import type { KubernetesObject } from "../resource-kind.ts";
import { createSharing, sharedWith } from "./structural-sharing.ts";

const parsed = <T>(text: string): T => JSON.parse(text) as T;

/** JSON with sorted members. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort()
      : part,
  );

test("equal parts are taken from the model, and the rest is frozen", () => {
  const model = sharedWith(parsed<object>('{"a":{"b":[1,{"c":"x"}]},"d":{"e":1},"f":[1,2]}'), {});
  const text = '{"a":{"b":[1,{"c":"x"}]},"d":{"e":2},"f":[1,2,3]}';
  const kept = sharedWith(parsed<Record<string, object>>(text), model);
  expect(JSON.stringify(kept)).toBe(text);
  expect(kept.a).toBe((model as typeof kept).a);
  expect([kept.d === (model as typeof kept).d, kept.f === (model as typeof kept).f]).toEqual([
    false,
    false,
  ]);
  expect([kept, kept.d, kept.f, kept.a].every(Object.isFrozen)).toBe(true);
  expect(sharedWith(parsed(text), kept)).toBe(kept);
});

test("the value never changes, whatever the model is", () => {
  const texts = [
    '{"b":1,"a":2}',
    '{"a":2,"b":1}',
    '{"a":null}',
    '{"a":{}}',
    '{"a":[]}',
    '{"a":[null,{}]}',
    '{"a":[{}]}',
    '{"__proto__":{"x":1},"a":{"__proto__":1}}',
    '{"__proto__":{"x":1},"a":{"__proto__":2}}',
    '{"constructor":1,"toString":{}}',
    '{"__proto__":{}}',
    '{"constructor":{}}',
    '{"a":{"__proto__":{}}}',
    "{}",
    "[]",
    '{"0":1,"1":2}',
    '["1",1]',
    '[1,"1"]',
  ];
  for (const model of texts)
    for (const text of texts)
      expect(sorted(sharedWith(parsed(text), sharedWith(parsed(model), undefined)))).toBe(
        sorted(parsed(text)),
      );
});

test("objects of one owner share equal parts, and so do versions of one object", () => {
  const share = createSharing<KubernetesObject>();
  const pod = (name: string, owner: string, image: string): KubernetesObject =>
    parsed(
      JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default", ownerReferences: [{ uid: owner }] },
        spec: { containers: [{ name: "main", image }], tolerations: [{ key: "x" }] },
      }),
    );
  type WithSpec = KubernetesObject & { spec: Record<string, readonly object[]> };
  const kept = (object: KubernetesObject, known?: KubernetesObject): WithSpec =>
    share(object, known) as WithSpec;
  const a = kept(pod("a", "1", "web"));
  const other = kept(pod("z", "2", "db"));
  const b = kept(pod("b", "1", "web"));
  expect(b.spec).toBe(a.spec);
  expect(other.spec).not.toBe(a.spec);
  expect(other.spec.tolerations).toBe(a.spec.tolerations);
  expect(kept(pod("z", "3", "db"), other).spec).toBe(other.spec);
});
