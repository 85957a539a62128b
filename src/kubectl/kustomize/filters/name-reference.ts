import type { FieldSpec } from "../config/field-spec.ts";
import type { NameReference } from "../config/name-references.ts";
import { inContext, KustomizeError } from "../kustomize-error.ts";
import { getField, lookup, setField, setScalar } from "../nodes/lookup.ts";
import { isMissing, member, scalarNode, type YamlNode } from "../nodes/yaml-node.ts";
import { buildAnnotation } from "../resources/build-annotations.ts";
import { type Gvk, hasNoNamespace, isSelected } from "../resources/gvk.ts";
import { effectiveNamespace, noNamespace, resIdText, sameNamespace } from "../resources/res-id.ts";
import type { ResMap } from "../resources/res-map.ts";
import type { Resource } from "../resources/resource.ts";
import { applyFieldSpec } from "./apply-field-spec.ts";

/** Makes references follow the objects that were renamed or moved to another namespace. */
export function fixNameReferences(map: ResMap, references: readonly NameReference[]): void {
  for (const referrer of map.resources) {
    const original = referrer.originalId;
    let candidates: readonly Resource[] | undefined;
    for (const reference of references) {
      for (const spec of reference.fieldSpecs) {
        if (!isSelected(original, spec)) continue;
        candidates ??= map.referableBy(referrer);
        new Reference({ referrer, spec, target: reference, candidates }).fix();
      }
    }
  }
}

interface ReferenceParts {
  readonly referrer: Resource;
  readonly spec: FieldSpec;
  readonly target: Gvk;
  readonly candidates: readonly Resource[];
}

/** A field of an object in which objects of a kind are referred to. */
class Reference {
  readonly #referrer: Resource;
  readonly #spec: FieldSpec;
  readonly #target: Gvk;
  readonly #candidates: readonly Resource[];

  constructor({ referrer, spec, target, candidates }: ReferenceParts) {
    this.#referrer = referrer;
    this.#spec = { ...spec, ...referrer.gvk };
    this.#target = target;
    this.#candidates = candidates;
  }

  fix(): void {
    const { node, id } = this.#referrer;
    if (node === undefined) return;
    inContext(`updating name reference in '${this.#spec.path}' field of '${resIdText(id)}'`, () =>
      applyFieldSpec(node, this.#spec, { set: (field) => this.#set(field) }),
    );
  }

  #set(node: YamlNode): void {
    if (isMissing(node)) return;
    const { kind, content } = node;
    if (kind === "scalar") this.#setScalar(node);
    else if (kind === "mapping") this.#setMapping(node);
    else if (kind === "sequence") for (const item of content) this.#setItem(item);
    else throw new KustomizeError("node must be a scalar, sequence or map");
  }

  #setItem(item: YamlNode): void {
    if (isMissing(item)) return;
    if (item.kind === "scalar") this.#setScalar(item);
    else this.#setMapping(item);
  }

  #setScalar(node: YamlNode): void {
    const referral = this.#select(node.value, this.#candidates, false);
    if (referral === undefined) return;
    referral.addReferrer(this.#referrer.id);
    if (referral.name !== node.value) setScalar(node, scalarNode(referral.name));
  }

  #setMapping(node: YamlNode): void {
    const name = inContext("trying to match 'name' field", () => getField(node, "name"));
    if (name === undefined) {
      throw new KustomizeError("path config error; no 'name' field in node");
    }
    const referral = this.#select(name.value, this.#inNamespaceOf(node), true);
    if (referral === undefined) return;
    referral.addReferrer(this.#referrer.id);
    if (referral.name === name.value && referral.namespace === "") return;
    setField(node, "name", scalarNode(referral.name));
    if (referral.namespace !== "") setField(node, "namespace", scalarNode(referral.namespace));
  }

  /** Candidates that are, or else were, in the namespace that a reference names. */
  #inNamespaceOf(node: YamlNode): readonly Resource[] {
    const namespace = member(node, "namespace")?.value;
    if (namespace === undefined) return this.#candidates;
    if (namespace === noNamespace) return [];
    const were = this.#candidates.filter(
      ({ originalId }) => effectiveNamespace(originalId) === namespace,
    );
    if (were.length > 0) return were;
    return this.#candidates.filter(({ id }) => effectiveNamespace(id) === namespace);
  }

  /** The one object that a name stands for; several are the same where their names are. */
  #select(
    name: string,
    candidates: readonly Resource[],
    withNamespace: boolean,
  ): Resource | undefined {
    const role = this.#roleKind();
    let found = candidates.filter((candidate) => {
      const previous = candidate.previousIds;
      return (
        previous.some((id) => id.name === name) &&
        previous.some((id) => isSelected(id, this.#target)) &&
        (role === undefined || previous.some((id) => isSelected(id, role))) &&
        this.#isNear(candidate)
      );
    });
    if (found.length === 1) return found[0];
    found = found.filter((candidate) => sameAffixes(candidate, this.#referrer, true));
    if (found.length > 1) {
      found = found.filter((candidate) => sameAffixes(candidate, this.#referrer, false));
    }
    const [first] = found;
    if (first === undefined || found.length === 1) return first;
    const same = found.every(
      (other) =>
        other.name === first.name && (!withNamespace || other.namespace === first.namespace),
    );
    if (same) return first;
    throw new KustomizeError(this.#ambiguity(found));
  }

  /** The kind of role that a binding names, for the field that names the role. */
  #roleKind(): Gvk | undefined {
    const { node } = this.#referrer;
    if (!this.#spec.path.endsWith("roleRef/name") || node === undefined) return undefined;
    const group = lookup(node, ["roleRef", "apiGroup"]);
    const kind = lookup(node, ["roleRef", "kind"]);
    if (group === undefined || kind === undefined) return undefined;
    return { group: group.value, version: "", kind: kind.value };
  }

  /** Service accounts are referred to across namespaces. */
  #isNear(candidate: Resource): boolean {
    const { id } = this.#referrer;
    if (hasNoNamespace(id) || hasNoNamespace(candidate.gvk)) return true;
    return candidate.kind === "ServiceAccount" || sameNamespace(id, candidate.id);
  }

  #ambiguity(found: readonly Resource[]): string {
    const ids = found.map(({ id }) => resIdText(id)).join(", ");
    const details = found.map(({ yaml }, i) => `--- possible referral ${i}:\n${yaml}\n`).join("");
    const referrer = `\n**** Too many possible referral targets to referrer:\n${this.#referrer.yaml}\n`;
    return `found multiple possible referrals: ${ids}\n${referrer}${details}`;
  }
}

/** Whether two objects got the same prefixes and suffixes last, as far as both got any. */
function sameAffixes(a: Resource, b: Resource, allowEmpty: boolean): boolean {
  return [buildAnnotation.prefixes, buildAnnotation.suffixes].every((annotation) => {
    const left = a.listed(annotation);
    const right = b.listed(annotation);
    if (left.length === 0 || right.length === 0) return allowEmpty || left.length === right.length;
    const [short, long] = left.length < right.length ? [left, right] : [right, left];
    return short.every((value, i) => long[i + long.length - short.length] === value);
  });
}
