import { expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { addressOf } from "./family.ts";
import type { ProbeTarget, SocketNamespace } from "./pod-sockets.test-support.ts";
import {
  documentedCases,
  type PolicyCase,
  type PolicyState,
  upstreamCases,
} from "./policy-cases.test-support.ts";
import { PolicyIndex } from "./policy-index.ts";
import { openPolicyNetwork, type PolicyNetwork } from "./policy-network.test-support.ts";
import { changeTransaction, wholeTransaction } from "./policy-transaction.ts";

describeWith(requires("nft"))("network policies between real namespaces", () => {
  const cases: readonly (readonly [string, readonly PolicyCase[]])[] = [
    ["the cases of Kubernetes' tests", upstreamCases],
    ["the documented examples", documentedCases],
  ];
  for (const [title, rows] of cases)
    test(`packets pass as policies say: ${title}`, async () => {
      const matrix = await openMatrix();
      for (const [name, ...states] of rows)
        for (const [i, state] of states.entries())
          expect([name, i, await matrix.wrong(state)]).toEqual([name, i, []]);
    }, 600_000);
});

const names = ["x", "y", "z"].flatMap((ns) => ["a", "b", "c"].map((pod) => `${ns}/${pod}`));
const listened = [
  { protocol: "TCP", port: 80 },
  { protocol: "TCP", port: 81 },
  { protocol: "UDP", port: 80 },
  { protocol: "UDP", port: 81 },
] as const;

interface Matrix {
  /** Applies a state; returns what then differs from what it says. */
  wrong(state: PolicyState): Promise<readonly string[]>;
}

async function openMatrix(): Promise<Matrix> {
  const network = await openPolicyNetwork(names.length);
  await Promise.all(
    network.pods.flatMap(({ at }) =>
      listened.map(({ protocol, port }) => at.listen(protocol, port)),
    ),
  );
  const index = new PolicyIndex();
  await network.run(wholeTransaction(index.contents.takeAll()));
  let before: PolicyState["policies"] = {};
  return {
    async wrong(state) {
      apply(index, network, { before, state });
      before = state.policies;
      const input = changeTransaction(index.contents.take());
      if (input !== "") await network.run(input);
      const found = await Promise.all([
        ...names.map((from, i) => wrongOf({ network, from, at: network.pods[i]?.at, state })),
        wrongOf({ network, from: "node", at: network.node, state }),
      ]);
      return found.flat();
    },
  };
}

interface Change {
  readonly before: PolicyState["policies"];
  readonly state: PolicyState;
}

function apply(index: PolicyIndex, network: PolicyNetwork, { before, state }: Change): void {
  const { policies, labels = {} } = state;
  for (const ns of ["x", "y", "z"])
    index.setNamespace(ns, { ns, "kubernetes.io/metadata.name": ns, ...labels[ns] });
  for (const [i, key] of names.entries()) {
    const [namespace = "", name = ""] = key.split("/");
    index.setPod(`${namespace}/${name}`, {
      ...{ namespace, name, uid: key, createdAt: "", isTerminating: false, isLocal: true },
      labels: { pod: name, ...labels[key] },
      addresses: (network.pods[i]?.addresses ?? []).flatMap((text) => addressOf(text) ?? []),
      ports: listened.map(({ protocol, port }) => ({
        ...{ name: `serve-${port}-${protocol.toLowerCase()}`, protocol, number: port },
      })),
    });
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(policies)])) {
    const [namespace = "", name = ""] = key.split("/");
    const spec = policies[key];
    index.setPolicy({ namespace, name }, spec && { podSelector: {}, ...spec });
  }
}

interface Source {
  readonly network: PolicyNetwork;
  readonly from: string;
  readonly at: SocketNamespace | undefined;
  readonly state: PolicyState;
}

/** What a pod reaches and should not, or the other way round. */
async function wrongOf({ network, from, at, state }: Source): Promise<readonly string[]> {
  const probes = names.flatMap((to, i) =>
    to === from
      ? []
      : (network.pods[i]?.addresses ?? []).flatMap((address) =>
          listened.map((target): Probe => {
            const isExpected = isReached(state.reach, { from, to, address, ...target });
            return { to, target: { address, ...target }, isExpected };
          }),
        ),
  );
  const failing = await unexpected(at, probes, 300);
  // What is not responded to in time may be late.
  const wrong = await unexpected(at, failing, 5000);
  return wrong.map(
    ({ to, target, isExpected }) =>
      `${from} ${isExpected ? "does not reach" : "reaches"} ${to} at ${target.address} ${target.port}/${target.protocol}`,
  );
}

interface Probe {
  readonly to: string;
  readonly target: ProbeTarget;
  readonly isExpected: boolean;
}

async function unexpected(
  at: SocketNamespace | undefined,
  probes: readonly Probe[],
  timeoutMs: number,
): Promise<readonly Probe[]> {
  if (!at || probes.length === 0) return [];
  const results = await at.probe(
    probes.map(({ target }) => target),
    timeoutMs,
  );
  return probes.filter(({ isExpected }, i) => results[i] !== isExpected);
}

interface Pair extends ProbeTarget {
  readonly from: string;
  readonly to: string;
}

/** What the last line about a pair says. Nodes reach their pods. */
function isReached(lines: readonly string[], pair: Pair): boolean {
  if (pair.from === "node") return true;
  const about = lines.filter((line) => {
    const [from = "", to = "", port, family] = line.slice(1).split(" ");
    return (
      matches(from, pair.from) &&
      matches(to, pair.to) &&
      (port === undefined || port === `${pair.port}/${pair.protocol}`) &&
      (family === undefined || (family === "4") === pair.address.includes("."))
    );
  });
  return about.at(-1)?.startsWith("-") !== true;
}

const matches = (pattern: string, name: string): boolean =>
  pattern === "*" ||
  (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name);
