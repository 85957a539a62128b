import type { NetworkPolicySpec } from "../../api/networking/v1/network-policy-spec.ts";
import { type CompiledPolicy, compilePolicy } from "./compiled-policy.ts";
import { families } from "./family.ts";
import { FamilyPolicies } from "./family-policies.ts";
import { type Key, KnownObjects, keyOf } from "./known-objects.ts";
import type { PolicyPod } from "./policy-pod.ts";
import { TableContents } from "./table-contents.ts";

/** Turns pods, namespaces and policies into what the tables of a node contain. */
export class PolicyIndex {
  readonly contents = new TableContents();
  readonly #known = new KnownObjects();
  readonly #families = families.map(
    (family) => new FamilyPolicies(family, this.#known, this.contents),
  );

  /** Sets a pod; undefined if it has no addresses. */
  setPod(key: Key, pod: PolicyPod | undefined): void {
    const before = this.#known.pods.get(key);
    if (before === pod || (before && pod && isSamePod(before, pod))) return;
    this.#known.setPod(key, pod);
    for (const family of this.#families) family.podChanged(key, before);
  }

  /** Whether policies select a pod of this node. */
  isIsolated(key: Key): boolean {
    return this.#families.some((family) => family.isIsolated(key));
  }

  /** Sets the labels of a namespace; undefined if there is no such namespace. */
  setNamespace(name: string, labels: Readonly<Record<string, string>> | undefined): void {
    if (labels) this.#known.namespaces.set(name, labels);
    else this.#known.namespaces.delete(name);
    for (const family of this.#families) family.namespaceChanged(name);
  }

  setPolicy(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    spec: NetworkPolicySpec | undefined,
  ): void {
    const key = keyOf({ namespace, name });
    const before = this.#known.policy(namespace, key);
    const after: CompiledPolicy | undefined = spec && compilePolicy(namespace, spec);
    this.#known.setPolicy(namespace, key, after);
    for (const family of this.#families) family.policyChanged(before, after);
  }

  /** How many addresses of this node's pods are isolated. */
  get isolated(): number {
    return this.#families.reduce((sum, family) => sum + family.isolated, 0);
  }
}

const isSamePod = (a: PolicyPod, b: PolicyPod): boolean => JSON.stringify(a) === JSON.stringify(b);
