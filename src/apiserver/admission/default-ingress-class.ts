import type { Ingress } from "../../api/networking/v1/ingress.ts";
import type { Draft } from "../../schema/language/struct.ts";
import type { Resources } from "../objects/resources.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { defaultClass } from "./default-class.ts";
import type { Cluster } from "./plugins.ts";

/** How an ingress named its class before there was a field for it. */
const classAnnotation = "kubernetes.io/ingress.class";
const isDefault = ["ingressclass.kubernetes.io/is-default-class"];

/** A new ingress that names no class has the default one. */
export function defaultIngressClass(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "DefaultIngressClass",
    operations: ["CREATE"],
    resources: ["networking.k8s.io/ingresses"],

    async admit({ object }) {
      const { metadata, spec } = object as unknown as Draft<Ingress>;
      const classes = resources.find("networking.k8s.io", "v1", "ingressclasses");
      if (!classes || spec.ingressClassName !== undefined) return;
      if (metadata.annotations?.[classAnnotation] !== undefined) return;
      const name = await defaultClass(cluster(), classes, isDefault);
      if (name !== undefined) spec.ingressClassName = name;
    },
  };
}
