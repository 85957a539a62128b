import { expect, test } from "vitest";
import type { NetworkPolicySpec } from "../../api/networking/v1/network-policy-spec.ts";
import { addressOf } from "./family.ts";
import { PolicyIndex } from "./policy-index.ts";
import type { PolicyPod } from "./policy-pod.ts";
import { changeTransaction } from "./policy-transaction.ts";

/** Pod number n of 1,000 in ten namespaces, of which a tenth is on this node. */
const podOf = (n: number, labels: Readonly<Record<string, string>>): PolicyPod => ({
  ...{ namespace: `ns${n % 10}`, name: `p${n}`, uid: `${n}`, createdAt: "", isTerminating: false },
  ...{ labels, ports: [], isLocal: n % 100 < 10 },
  addresses: [`10.0.${n >> 8}.${n & 255}`].flatMap((text) => addressOf(text) ?? []),
});

const policyOf = (n: number): NetworkPolicySpec => ({
  podSelector: { matchLabels: { app: `a${n % 20}` } },
  policyTypes: ["Ingress"],
  ingress: [
    {
      from: [
        { podSelector: { matchLabels: { app: `a${(n + 1) % 20}` } } },
        { namespaceSelector: { matchLabels: { team: `t${n % 3}` } } },
      ],
      ports: [{ protocol: "TCP", port: 8000 + (n % 20) }],
    },
  ],
});

function largeCluster(): PolicyIndex {
  const index = new PolicyIndex();
  for (let n = 0; n < 10; n++) index.setNamespace(`ns${n}`, { team: `t${n % 3}` });
  for (let n = 0; n < 1000; n++) index.setPod(`ns${n % 10}/p${n}`, podOf(n, { app: `a${n % 20}` }));
  for (let n = 0; n < 200; n++)
    index.setPolicy({ namespace: `ns${n % 10}`, name: `n${n}` }, policyOf(n));
  index.contents.take();
  return index;
}

test("PolicyIndex: with 1,000 pods and 200 policies, a change writes what it changes", () => {
  const index = largeCluster();
  const changes = (): readonly string[] =>
    changeTransaction(index.contents.take())
      .split("\n")
      .filter((line) => line !== "");
  // A pod of another node.
  index.setPod("ns1/p51", podOf(51, { app: "a2" }));
  expect(changes()).toEqual([
    expect.stringMatching(/^add element ip wherry-policies peers-\d+ \{ 10.0.0.51 \}$/),
  ]);
  index.setPod("ns1/p51", podOf(51, { app: "a11" }));
  expect(changes()).toEqual([
    expect.stringMatching(/^delete element ip wherry-policies peers-\d+ \{ 10.0.0.51 \}$/),
  ]);
  // A pod of this node that no policy selects any more, and none allows by its labels.
  index.setPod("ns1/p101", podOf(101, {}));
  expect(changes().length).toBeLessThan(8);
  // A policy that selects no pod of this node.
  index.setPolicy(
    { namespace: "ns3", name: "new" },
    { ...policyOf(1), podSelector: { matchLabels: { app: "none" } } },
  );
  expect(changes()).toEqual([]);
});

test("PolicyIndex: a change of one pod looks at few others", () => {
  const index = largeCluster();
  const start = performance.now();
  for (let i = 0; i < 1000; i++)
    index.setPod(`ns${i % 10}/p${i}`, podOf(i, { app: `a${(i + 1) % 20}` }));
  const each = (performance.now() - start) / 1000;
  // A computation of everything takes a hundred times as long.
  const whole = performance.now();
  largeCluster();
  expect(each).toBeLessThan((performance.now() - whole) / 20);
});
