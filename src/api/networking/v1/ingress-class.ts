import { message, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import {
  isDomainPrefixedPath,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
} from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { validateObject } from "./ingress-backend.ts";

/** On a class: that it is the class of ingresses that name none. */
const defaultIngressClassAnnotation = "ingressclass.kubernetes.io/is-default-class";

export const IngressClassParametersReference = struct(
  "io.k8s.api.networking.v1.IngressClassParametersReference",
  {
    apiGroup: string(1).pointer().doc("API group of the object; without it, the core group."),
    kind: string(2).always().expected().doc("Kind of the object."),
    name: string(3).always().expected().doc("Name of the object."),
    scope: string(4)
      .nullable()
      .default("Cluster")
      .doc("Whether the object is of the Cluster or of a Namespace."),
    namespace: string(5).pointer().doc("Namespace of the object, where it is in one."),
  },
).doc("Names an object with more settings of a class.");
export interface IngressClassParametersReference
  extends Infer<typeof IngressClassParametersReference> {}

export const IngressClassSpec = struct("io.k8s.api.networking.v1.IngressClassSpec", {
  controller: string(1).doc("Who carries out ingresses of the class. Never changes."),
  parameters: message(2, IngressClassParametersReference).doc("An object with more settings."),
}).doc("Who carries out the ingresses of a class, and how.");
export interface IngressClassSpec extends Infer<typeof IngressClassSpec> {}

export const IngressClass = kind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  scope: "Cluster",
  doc: "A kind of ingresses that one controller carries out.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, IngressClassSpec).doc("Who carries its ingresses out, and how."),
  },
  rules: [({ spec }, at) => validateSpec(spec, at.child("spec"))],
  updateRules({ spec }, old, { at, create }) {
    const { controller = "" } = spec;
    if (controller !== (old.spec.controller ?? ""))
      at.invalid("spec.controller", controller, "field is immutable");
    create();
  },
  strategy: {
    generation: { spec: sameValue },
  },
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata }) => {
        const isDefault = metadata.annotations?.[defaultIngressClassAnnotation] === "true";
        return `${metadata.name ?? ""}${isDefault ? " (default)" : ""}`;
      },
    },
    {
      name: "Controller",
      type: "string",
      description: "Controller that is responsible for handling this class",
      cell: ({ spec }) => spec.controller ?? "",
    },
    {
      name: "Parameters",
      type: "string",
      description: "A reference to a resource with additional parameters",
      cell: ({ spec: { parameters } }) => {
        if (!parameters) return "<none>";
        const { apiGroup, kind, name } = parameters;
        return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
      },
    },
    ageColumn,
  ],
});
export interface IngressClass extends ObjectOf<typeof IngressClass> {}

const maxController = 250;
const encoder = new TextEncoder();

function validateSpec({ controller = "", parameters }: IngressClassSpec, at: At): void {
  if (encoder.encode(controller).length > maxController) at.tooLong("controller", maxController);
  for (const fault of isDomainPrefixedPath(controller))
    if (fault.type === "Required") at.required("controller");
    else at.invalid("controller", fault.value, fault.detail);
  if (parameters) validateParameters(parameters, at.child("parameters"));
}

function validateParameters(parameters: IngressClassParametersReference, at: At): void {
  validateObject(parameters, at);
  const { scope, namespace } = parameters;
  if (scope === "Namespace") {
    if (namespace === undefined)
      at.required("namespace", "`parameters.scope` is set to 'Namespace'");
    else at.invalidEach("namespace", namespace, nameIsDnsLabel(namespace));
  } else if (scope === "Cluster") {
    if (namespace !== undefined)
      at.forbidden("namespace", "`parameters.scope` is set to 'Cluster'");
  } else at.notSupported("scope", scope, ["Cluster", "Namespace"]);
}
