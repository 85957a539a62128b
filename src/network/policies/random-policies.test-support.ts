import type { LabelSelector } from "../../api/meta/v1/label-selector.ts";
import type {
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../api/networking/v1/network-policy-spec.ts";
import type { Random } from "../../base/random.ts";
import type { WorldPolicy } from "./brute-force.test-support.ts";
import { addressOf } from "./family.ts";
import type { PolicyIndex } from "./policy-index.ts";
import type { NamedPort, PolicyPod } from "./policy-pod.ts";

/** A cluster that changes at random, and an index that sees each change. */
export class RandomWorld {
  readonly pods = new Map<string, PolicyPod>();
  readonly namespaces = new Map<string, Readonly<Record<string, string>>>();
  readonly policies = new Map<string, WorldPolicy>();
  readonly #random: Random;
  #created = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Changes one object. */
  step(index: PolicyIndex): void {
    const namespace = this.#one(namespaceNames);
    const name = `n${this.#below(4)}`;
    const key = `${namespace}/${name}` as const;
    const kind = this.#below(10);
    if (kind < 2) {
      const labels = this.#chance(0.15) ? undefined : this.#labels();
      if (labels) this.namespaces.set(namespace, labels);
      else this.namespaces.delete(namespace);
      index.setNamespace(namespace, labels);
    } else if (kind < 7) {
      const before = this.pods.get(key);
      const pod = this.#chance(0.2) ? undefined : this.#pod({ namespace, name }, before);
      if (pod) this.pods.set(key, pod);
      else this.pods.delete(key);
      index.setPod(key, pod);
    } else {
      const spec = this.#chance(0.25) ? undefined : this.#spec();
      if (spec) this.policies.set(key, { namespace, spec });
      else this.policies.delete(key);
      index.setPolicy({ namespace, name }, spec);
    }
  }

  #pod(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    before: PolicyPod | undefined,
  ): PolicyPod {
    const isSame = before !== undefined && this.#chance(0.5);
    const texts = [
      ...(this.#chance(0.9) ? [`10.0.${this.#below(2)}.${this.#below(6)}`] : []),
      ...(this.#chance(0.6) ? [`fd00::${this.#below(6)}`] : []),
    ];
    const created = isSame
      ? before
      : { uid: `u${++this.#created}`, createdAt: `2026-${this.#below(9)}` };
    const ports: NamedPort[] = portNames
      .filter(() => this.#chance(0.5))
      .map((port) => ({
        name: port,
        protocol: this.#one(protocols),
        number: this.#one(portNumbers),
      }));
    return {
      ...{ namespace, name, uid: created.uid, createdAt: created.createdAt, ports },
      isTerminating: this.#chance(0.2),
      labels: this.#labels(),
      addresses: isSame ? before.addresses : texts.flatMap((text) => addressOf(text) ?? []),
      isLocal: isSame ? before.isLocal : this.#chance(0.6),
    };
  }

  #spec(): NetworkPolicySpec {
    const rules = () =>
      this.#some(
        3,
        () => [this.#some(3, () => this.#peer()), this.#some(3, () => this.#port())] as const,
      );
    return {
      podSelector: this.#selector(),
      ...(this.#chance(0.7) && { ingress: rules().map(([from, ports]) => ({ from, ports })) }),
      ...(this.#chance(0.5) && { egress: rules().map(([to, ports]) => ({ to, ports })) }),
      ...(this.#chance(0.7) && {
        policyTypes: this.#one([["Ingress"], ["Egress"], ["Ingress", "Egress"]]),
      }),
    };
  }

  #peer(): NetworkPolicyPeer {
    const kind = this.#below(4);
    if (kind === 0)
      return {
        ipBlock: this.#one([
          { cidr: "10.0.0.0/24", except: ["10.0.0.0/31", "10.0.0.4/32"] },
          { cidr: "0.0.0.0/0", except: ["10.0.0.0/16"] },
          { cidr: "10.0.1.2/31" },
          { cidr: "0.0.0.0/0" },
          { cidr: "10.0.0.2/31", except: ["10.0.0.2/32", "10.0.0.3/32"] },
          { cidr: "fd00::/126" },
          { cidr: "::/0", except: ["fd00::2/127"] },
          { cidr: "::/0" },
        ]),
      };
    return {
      ...(kind !== 1 && { podSelector: this.#selector() }),
      ...(kind !== 2 && { namespaceSelector: this.#selector() }),
    };
  }

  #port(): NetworkPolicyPort {
    const protocol = this.#one(protocols);
    if (this.#chance(0.2)) return { protocol };
    if (this.#chance(0.3)) return { protocol, port: this.#one(portNames) };
    const port = this.#one(portNumbers);
    return { protocol, port, ...(this.#chance(0.3) && { endPort: port + this.#below(30) }) };
  }

  #selector(): LabelSelector {
    const kind = this.#below(6);
    if (kind < 2) return {};
    if (kind < 4) return { matchLabels: { [this.#one(labelNames)]: this.#one(labelValues) } };
    const operator = this.#one(["In", "NotIn", "Exists", "DoesNotExist"]);
    const values = operator.endsWith("In")
      ? [this.#one(labelValues), ...this.#some(1, () => this.#one(labelValues))]
      : undefined;
    const key = this.#one(labelNames);
    return { matchExpressions: [{ key, operator, ...(values && { values }) }] };
  }

  #labels(): Readonly<Record<string, string>> {
    const names = labelNames.filter(() => this.#chance(0.6));
    return Object.fromEntries(names.map((name) => [name, this.#one(labelValues)]));
  }

  #some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.#below(most + 1) }, make);
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#below(values.length)] as T;
  }

  #below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }
}

export const protocols = ["TCP", "UDP", "SCTP"] as const;
export const portNumbers = [80, 81, 100, 8080];
const namespaceNames = ["a", "b", "c"];
const portNames = ["web", "dns"];
const labelNames = ["app", "tier"];
const labelValues = ["x", "y", "z"];
