import { Ingress } from "../../api/networking/v1/ingress.ts";
import { IngressClass } from "../../api/networking/v1/ingress-class.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { defaultClass } from "./default-class.ts";
import type { PluginSetup } from "./plugins.ts";
import { draftOf } from "./typed-attributes.ts";

/** How an ingress named its class before there was a field for it. */
const classAnnotation = "kubernetes.io/ingress.class";
const isDefault = ["ingressclass.kubernetes.io/is-default-class"];

/** A new ingress that names no class has the default one. */
export function defaultIngressClass({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "DefaultIngressClass",
    operations: ["CREATE"],
    resources: ["networking.k8s.io/ingresses"],

    async admit(attributes) {
      const { metadata, spec } = draftOf(Ingress, attributes);
      if (spec.ingressClassName !== undefined) return;
      if (metadata.annotations?.[classAnnotation] !== undefined) return;
      const name = await defaultClass(reader, IngressClass, isDefault);
      if (name !== undefined) spec.ingressClassName = name;
    },
  };
}
