import {
  bool,
  bytes,
  int32,
  int64,
  list,
  message,
  named,
  string,
  strings,
  time,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { conditionStatus } from "../../meta/v1/condition.ts";
import { JSONSchemaProps } from "./json-schema-props.ts";
import { apiextensions } from "./package.ts";

export const CustomResourceDefinitionNames = struct(
  `${apiextensions}.CustomResourceDefinitionNames`,
  {
    plural: string(1).always().expected().doc("The name of the resource in paths."),
    singular: string(2).doc("The name of one object; the kind in lower case if not given."),
    shortNames: strings(3).atomic().doc("Short names for the command line."),
    kind: string(4).always().expected().doc("The kind of the objects."),
    listKind: string(5).doc("The kind of lists of them; the kind and `List` if not given."),
    categories: strings(6).atomic().doc("Groups of resources that it is listed with."),
  },
).doc("The names of a custom resource.");
export interface CustomResourceDefinitionNames
  extends Infer<typeof CustomResourceDefinitionNames> {}

export const CustomResourceValidation = struct(`${apiextensions}.CustomResourceValidation`, {
  openAPIV3Schema: message(1, JSONSchemaProps).doc("The schema of the objects."),
})
  .doc("What the objects of a version must be like.")
  .validatedElsewhere();
export interface CustomResourceValidation extends Infer<typeof CustomResourceValidation> {}

export const CustomResourceSubresourceStatus = struct(
  `${apiextensions}.CustomResourceSubresourceStatus`,
  {},
).doc("The status is written on its own.");
export interface CustomResourceSubresourceStatus
  extends Infer<typeof CustomResourceSubresourceStatus> {}

export const CustomResourceSubresourceScale = struct(
  `${apiextensions}.CustomResourceSubresourceScale`,
  {
    specReplicasPath: string(1).always().expected().doc("The path of the wished for replicas."),
    statusReplicasPath: string(2).always().expected().doc("The path of the replicas there are."),
    labelSelectorPath: string(3).pointer().doc("The path of the selector of their pods."),
  },
).doc("Where a scale is found in an object.");
export interface CustomResourceSubresourceScale
  extends Infer<typeof CustomResourceSubresourceScale> {}

export const CustomResourceSubresources = struct(`${apiextensions}.CustomResourceSubresources`, {
  status: message(1, CustomResourceSubresourceStatus).doc("The status is written on its own."),
  scale: message(2, CustomResourceSubresourceScale).doc("The objects can be scaled."),
}).doc("The subresources of a custom resource.");
export interface CustomResourceSubresources extends Infer<typeof CustomResourceSubresources> {}

export const CustomResourceColumnDefinition = struct(
  `${apiextensions}.CustomResourceColumnDefinition`,
  {
    name: string(1).always().expected().doc("The heading of the column."),
    type: string(2).always().expected().doc("The type of its cells."),
    format: string(3).doc("Their form."),
    description: string(4).doc("What the column shows."),
    priority: int32(5).doc("Above 0, it is shown in wide tables only."),
    jsonPath: string(6).always().expected().doc("The path of the value it shows."),
  },
).doc("A column of the tables that clients print.");
export interface CustomResourceColumnDefinition
  extends Infer<typeof CustomResourceColumnDefinition> {}

export const SelectableField = struct(`${apiextensions}.SelectableField`, {
  jsonPath: string(1).always().expected().doc("The path of the field."),
}).doc("A field that objects can be selected by.");
export interface SelectableField extends Infer<typeof SelectableField> {}

export const CustomResourceDefinitionVersion = struct(
  `${apiextensions}.CustomResourceDefinitionVersion`,
  {
    name: string(1).always().expected().doc("The version, such as `v1beta1`."),
    served: bool(2).always().expected().doc("Whether it is served."),
    storage: bool(3).always().expected().doc("Whether objects are stored in it."),
    deprecated: bool(7).doc("Whether clients are warned of it."),
    deprecationWarning: string(8).pointer().doc("What they are told."),
    schema: message(4, CustomResourceValidation).doc("What its objects must be like."),
    subresources: message(5, CustomResourceSubresources).doc("Its subresources."),
    additionalPrinterColumns: list(6, CustomResourceColumnDefinition)
      .atomic()
      .doc("The columns of its tables."),
    selectableFields: list(9, SelectableField)
      .atomic()
      .doc("Fields that its objects can be selected by."),
  },
).doc("A version of a custom resource.");
export interface CustomResourceDefinitionVersion
  extends Infer<typeof CustomResourceDefinitionVersion> {}

export const ServiceReference = struct(`${apiextensions}.ServiceReference`, {
  namespace: string(1).always().expected().doc("The namespace of the service."),
  name: string(2).always().expected().doc("Its name."),
  path: string(3).pointer().doc("The path of requests."),
  port: int32(4).pointer().default(443).doc("Its port."),
}).doc("A service of the cluster.");
export interface ServiceReference extends Infer<typeof ServiceReference> {}

export const WebhookClientConfig = struct(`${apiextensions}.WebhookClientConfig`, {
  url: string(3).pointer().doc("Where the webhook is, if it is no service."),
  service: message(1, ServiceReference).doc("The service that it is."),
  caBundle: bytes(2).doc("The authorities that may have signed its certificate."),
}).doc("How a webhook is reached.");
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}

export const WebhookConversion = struct(`${apiextensions}.WebhookConversion`, {
  clientConfig: message(2, WebhookClientConfig).doc("How the webhook is reached."),
  conversionReviewVersions: strings(3)
    .always()
    .expected()
    .atomic()
    .doc("The versions of reviews it understands, the best first."),
}).doc("A webhook that converts objects.");
export interface WebhookConversion extends Infer<typeof WebhookConversion> {}

export const CustomResourceConversion = struct(`${apiextensions}.CustomResourceConversion`, {
  strategy: named(1, "v1.ConversionStrategyType")
    .always()
    .expected()
    .known("None", "Webhook")
    .doc("Whether only the version is changed, or a webhook is asked."),
  webhook: message(2, WebhookConversion).doc("The webhook that is asked."),
}).doc("How objects come from one version to another.");
export interface CustomResourceConversion extends Infer<typeof CustomResourceConversion> {}

export const CustomResourceDefinitionSpec = struct(
  `${apiextensions}.CustomResourceDefinitionSpec`,
  {
    group: string(1).always().expected().doc("The group of the resource."),
    names: value(3, CustomResourceDefinitionNames).expected().doc("Its names."),
    scope: named(4, "v1.ResourceScope")
      .always()
      .expected()
      .known("Cluster", "Namespaced")
      .doc("Whether its objects are in namespaces."),
    versions: list(7, CustomResourceDefinitionVersion)
      .always()
      .expected()
      .atomic()
      .doc("Its versions."),
    conversion: message(9, CustomResourceConversion)
      .default({ strategy: "None" })
      .doc("How objects come from one version to another."),
    preserveUnknownFields: bool(10).doc("Must not be true."),
  },
)
  .doc("What a custom resource should be.")
  .defaults(({ names }) => {
    if (!names) return;
    const { kind = "" } = names;
    if (!names.singular) names.singular = kind.toLowerCase();
    if (!names.listKind && kind !== "") names.listKind = `${kind}List`;
  });
export interface CustomResourceDefinitionSpec extends Infer<typeof CustomResourceDefinitionSpec> {}

export const CustomResourceDefinitionCondition = struct(
  `${apiextensions}.CustomResourceDefinitionCondition`,
  {
    type: named(1, "v1.CustomResourceDefinitionConditionType")
      .always()
      .expected()
      .known(
        "Established",
        "NamesAccepted",
        "NonStructuralSchema",
        "Terminating",
        "KubernetesAPIApprovalPolicyConformant",
        "StorageMigrating",
      )
      .doc("What the condition is about."),
    status: conditionStatus(2),
    lastTransitionTime: time(3).always().doc("When the status last changed."),
    reason: string(4).doc("Why it last changed, for machines."),
    message: string(5).doc("Why it last changed, for people."),
    observedGeneration: int64(6).doc("The generation of the definition that was looked at."),
  },
).doc("One aspect of the state of a custom resource.");
export interface CustomResourceDefinitionCondition
  extends Infer<typeof CustomResourceDefinitionCondition> {}

export const CustomResourceDefinitionStatus = struct(
  `${apiextensions}.CustomResourceDefinitionStatus`,
  {
    conditions: list(1, CustomResourceDefinitionCondition)
      .always()
      .mapKeys("type")
      .doc("Aspects of its state."),
    acceptedNames: value(2, CustomResourceDefinitionNames).doc("The names it is served with."),
    storedVersions: strings(3)
      .always()
      .atomic()
      .doc("Every version that objects have ever been stored in."),
    observedGeneration: int64(4).doc("The generation of the definition that was looked at."),
  },
).doc("What a custom resource is at present.");
export interface CustomResourceDefinitionStatus
  extends Infer<typeof CustomResourceDefinitionStatus> {}
