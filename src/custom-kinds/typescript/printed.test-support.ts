// Printed by "wherry crd types": print it again when the definitions change.
import {
  type DynamicObject,
  dynamicKind,
  type KubernetesObject,
} from "../../client/resource-kind.ts";

/**
 * A gadget.
 *
 * It has *\/ in its description.
 */
export interface Gadget extends KubernetesObject {
  readonly spec?: GadgetSpec | undefined;
}

export interface GadgetSpec {
  readonly "a-b": GadgetSpecAB;
  readonly aB?: GadgetSpecAB2 | undefined;
  readonly mode: "on" | "off";
  readonly matrix?: readonly (readonly (number | null)[])[] | undefined;
  readonly policies?: readonly GadgetSpecPolicy[] | undefined;
  readonly template?: DynamicObject | undefined;
  readonly anything?: unknown;
  readonly open?: GadgetSpecOpen | undefined;
}

export interface GadgetSpecAB {
  readonly x?: number | undefined;
}

export interface GadgetSpecAB2 {
  readonly x?: string | undefined;
}

export interface GadgetSpecPolicy {
  readonly name?: string | undefined;
}

export interface GadgetSpecOpen {
  readonly known?: boolean | undefined;
  readonly [member: string]: unknown;
}

/**
 * A gadget.
 *
 * It has *\/ in its description.
 */
export interface GadgetInput {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: KubernetesObject["metadata"] | undefined;
  readonly spec?: GadgetSpecInput | undefined;
}

export interface GadgetSpecInput {
  readonly "a-b": GadgetSpecAB;
  readonly aB?: GadgetSpecAB2 | undefined;
  readonly mode?: "on" | "off" | undefined;
  readonly matrix?: readonly (readonly (number | null)[])[] | undefined;
  readonly policies?: readonly GadgetSpecPolicy[] | undefined;
  readonly template?: DynamicObject | undefined;
  readonly anything?: unknown;
  readonly open?: GadgetSpecOpen | undefined;
}

export const Gadget = dynamicKind<Gadget, GadgetInput>({
  group: "example.com",
  version: "v1",
  kind: "Gadget",
  plural: "gadgets",
  scope: "Cluster",
});

export interface GadgetV1Beta1 extends KubernetesObject {
  readonly [member: string]: unknown;
}

export interface GadgetV1Beta1Input {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: KubernetesObject["metadata"] | undefined;
  readonly [member: string]: unknown;
}

export const GadgetV1Beta1 = dynamicKind<GadgetV1Beta1, GadgetV1Beta1Input>({
  group: "example.com",
  version: "v1beta1",
  kind: "Gadget",
  plural: "gadgets",
  scope: "Cluster",
});
