import type { At } from "../../../../schema/language/report.ts";
import { nameIsDnsLabel } from "../../../../schema/values/names.ts";
import { validateLabelName, validateLabelSelector } from "../../../meta/v1/label-selector.ts";
import type { PodValidationOptions } from "../pod/validation/pod-validation-options.ts";
import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
} from "./affinity.ts";
import { validateMatchLabelKeys } from "./match-label-keys.ts";
import { validateNodeSelector, validateNodeSelectorTerm } from "./node-selector-validation.ts";

/** The rules of a pod's affinity. */
export function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: Affinity,
  at: At,
  options: PodValidationOptions = {},
): void {
  if (nodeAffinity) validateNodeAffinity(nodeAffinity, at.child("nodeAffinity"), options);
  if (podAffinity) validatePodAffinity(podAffinity, at.child("podAffinity"), options);
  if (podAntiAffinity) validatePodAffinity(podAntiAffinity, at.child("podAntiAffinity"), options);
}

function validateNodeAffinity(
  affinity: NodeAffinity,
  at: At,
  { allowInvalidLabelValueInRequiredNodeAffinity: allowInvalidValues }: PodValidationOptions,
): void {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity;
  if (required)
    validateNodeSelector(required, at.child("requiredDuringSchedulingIgnoredDuringExecution"), {
      allowInvalidValues,
    });
  for (const [i, { weight, preference }] of preferred.entries()) {
    const here = at.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
    validateWeight(weight, here);
    // A preference that no node can meet does no harm.
    validateNodeSelectorTerm(preference, here.child("preference"), { allowInvalidValues: true });
  }
}

function validatePodAffinity(
  affinity: PodAffinity | PodAntiAffinity,
  at: At,
  options: PodValidationOptions,
): void {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity;
  for (const [i, term] of required.entries())
    validateTerm(
      term,
      at.child("requiredDuringSchedulingIgnoredDuringExecution").index(i),
      options,
    );
  for (const [i, { weight, podAffinityTerm }] of preferred.entries()) {
    const here = at.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
    validateWeight(weight, here);
    validateTerm(podAffinityTerm, here.child("podAffinityTerm"), options);
  }
}

function validateWeight(weight: number, at: At): void {
  if (weight <= 0 || weight > 100) at.invalid("weight", weight, "must be in the range 1-100");
}

function validateTerm(
  term: PodAffinityTerm,
  at: At,
  { allowInvalidLabelValueInSelector: allowInvalidValues }: PodValidationOptions,
): void {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  validateLabelSelector(labelSelector, at.child("labelSelector"), { allowInvalidValues });
  validateLabelSelector(namespaceSelector, at.child("namespaceSelector"), { allowInvalidValues });
  for (const name of namespaces) at.invalidEach("namespace", name, nameIsDnsLabel(name));
  validateMatchLabelKeys(term, at);
  if (topologyKey === "") at.required("topologyKey", "can not be empty");
  validateLabelName(topologyKey, at.child("topologyKey"));
}
