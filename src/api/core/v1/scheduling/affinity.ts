import { int32, list, message, string, strings, value } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { LabelSelector } from "../../../meta/v1/label-selector.ts";
import { NodeSelector, NodeSelectorTerm } from "./node-selector.ts";

export const PreferredSchedulingTerm = struct("io.k8s.api.core.v1.PreferredSchedulingTerm", {
  weight: int32(1).always().expected().doc("How much the preference counts, from 1 to 100."),
  preference: value(2, NodeSelectorTerm).expected().doc("The nodes that are preferred."),
}).doc("A preference for some nodes; an empty term prefers none.");
export interface PreferredSchedulingTerm extends Infer<typeof PreferredSchedulingTerm> {}

export const NodeAffinity = struct("io.k8s.api.core.v1.NodeAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: message(1, NodeSelector).doc(
    "The nodes that the pod may be scheduled to.",
  ),
  preferredDuringSchedulingIgnoredDuringExecution: list(2, PreferredSchedulingTerm)
    .atomic()
    .doc("The nodes that the scheduler should rather choose."),
}).doc("Rules on the nodes that a pod is scheduled to.");
export interface NodeAffinity extends Infer<typeof NodeAffinity> {}

export const PodAffinityTerm = struct("io.k8s.api.core.v1.PodAffinityTerm", {
  labelSelector: message(1, LabelSelector).doc("Which pods are meant; none without it."),
  namespaces: strings(2).atomic().doc("Namespaces of the pods that are meant."),
  topologyKey: string(3)
    .always()
    .expected()
    .doc("The label of nodes whose value tells which nodes count as one place."),
  namespaceSelector: message(4, LabelSelector).doc(
    "Selects further namespaces; an empty selector means all of them.",
  ),
  matchLabelKeys: strings(5)
    .atomic()
    .doc("Labels whose values the pods that are meant share with this pod."),
  mismatchLabelKeys: strings(6)
    .atomic()
    .doc("Labels whose values the pods that are meant do not share with this pod."),
}).doc("Pods, and the kind of place that one should share with them or not.");
export interface PodAffinityTerm extends Infer<typeof PodAffinityTerm> {}

export const WeightedPodAffinityTerm = struct("io.k8s.api.core.v1.WeightedPodAffinityTerm", {
  weight: int32(1).always().expected().doc("How much the preference counts, from 1 to 100."),
  podAffinityTerm: value(2, PodAffinityTerm).expected().doc("The pods, and the kind of place."),
}).doc("A preference with regard to other pods.");
export interface WeightedPodAffinityTerm extends Infer<typeof WeightedPodAffinityTerm> {}

export const PodAffinity = struct("io.k8s.api.core.v1.PodAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: list(1, PodAffinityTerm)
    .atomic()
    .doc("Terms that the place of the pod must meet, all of them."),
  preferredDuringSchedulingIgnoredDuringExecution: list(2, WeightedPodAffinityTerm)
    .atomic()
    .doc("Terms that the scheduler tries to meet."),
}).doc("Which pods a pod should be near to.");
export interface PodAffinity extends Infer<typeof PodAffinity> {}

export const PodAntiAffinity = struct("io.k8s.api.core.v1.PodAntiAffinity", {
  requiredDuringSchedulingIgnoredDuringExecution: list(1, PodAffinityTerm)
    .atomic()
    .doc("Terms that the place of the pod may not meet, none of them."),
  preferredDuringSchedulingIgnoredDuringExecution: list(2, WeightedPodAffinityTerm)
    .atomic()
    .doc("Terms that the scheduler tries not to meet."),
}).doc("Which pods a pod should be away from.");
export interface PodAntiAffinity extends Infer<typeof PodAntiAffinity> {}

export const Affinity = struct("io.k8s.api.core.v1.Affinity", {
  nodeAffinity: message(1, NodeAffinity).doc("With regard to nodes."),
  podAffinity: message(2, PodAffinity).doc("Near to which pods."),
  podAntiAffinity: message(3, PodAntiAffinity).doc("Away from which pods."),
}).doc("Where a pod should be scheduled.");
export interface Affinity extends Infer<typeof Affinity> {}
