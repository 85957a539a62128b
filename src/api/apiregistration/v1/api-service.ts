import { decodedSize } from "../../../base/base64.ts";
import {
  bool,
  bytes,
  int32,
  list,
  message,
  string,
  value,
} from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import {
  isDns1035Label,
  isDns1123Subdomain,
  isValidPortNum,
  pathSegmentName,
} from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { ownCondition } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../meta/v1/object-meta-validation.ts";

const pkg = "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1";

export const ServiceReference = struct(`${pkg}.ServiceReference`, {
  namespace: string(1).doc("The namespace of the service."),
  name: string(2).doc("The name of the service."),
  port: int32(3).pointer().default(443).doc("The port of the service that serves the API."),
}).doc("A service that serves an API.");
export interface ServiceReference extends Infer<typeof ServiceReference> {}

export const APIServiceSpec = struct(`${pkg}.APIServiceSpec`, {
  service: message(1, ServiceReference).doc(
    "The service that serves the API; none where this server does it itself.",
  ),
  group: string(2).doc("The group that is served."),
  version: string(3).doc("The version of it that is served."),
  insecureSkipTLSVerify: bool(4).doc("Whether the certificate of the service is not checked."),
  caBundle: bytes(5)
    .atomic()
    .doc("Certificates, in PEM form, of who may sign the certificate of the service."),
  groupPriorityMinimum: int32(7)
    .always()
    .expected()
    .doc("The least priority of the group among the groups; higher ones come first."),
  versionPriority: int32(8)
    .always()
    .expected()
    .doc("The priority of the version in its group; higher ones come first."),
}).doc("A version of a group, and who serves it.");
export interface APIServiceSpec extends Infer<typeof APIServiceSpec> {}

export const APIServiceCondition = ownCondition(
  `${pkg}.APIServiceCondition`,
  "v1.APIServiceConditionType",
  "Available",
).doc("One aspect of the state of an API service.");
export interface APIServiceCondition extends Infer<typeof APIServiceCondition> {}

export const APIServiceStatus = struct(`${pkg}.APIServiceStatus`, {
  conditions: list(1, APIServiceCondition).keyedBy("type").doc("Whether it can be used."),
}).doc("What is known of an API service.");
export interface APIServiceStatus extends Infer<typeof APIServiceStatus> {}

const fields = {
  spec: value(2, APIServiceSpec).doc("What is served, and by whom."),
  status: value(3, APIServiceStatus).doc("Whether it can be used."),
};
type Body = ObjectValue<typeof fields>;

export const APIService = kind({
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  package: pkg,
  plural: "apiservices",
  categories: ["api-extensions"],
  scope: "Cluster",
  storagePrefix: "apiregistration.k8s.io/apiservices",
  doc: "A version of an API group, served here or by another server.",
  name: pathSegmentName,
  // Its name follows from its spec: the metadata is validated below.
  metadataRules: false,
  fields,
  subresources: ["status"],
  rules: [nameRule, groupRules, serviceRules],
  updateRules(service, old, { at, rules }) {
    validateObjectMetaUpdate(service.metadata, old.metadata, at.child("metadata"));
    rules();
  },
  statusRules({ metadata, status }, old, { at }) {
    validateObjectMetaUpdate(metadata, old.metadata, at.child("metadata"));
    for (const [i, condition] of (status.conditions ?? []).entries())
      if (!statuses.includes(condition.status))
        at.notSupported(`status.conditions[${i}].status`, condition.status, statuses);
  },
  strategy: {
    initialStatus: ({ spec }, { now }) =>
      spec.service ? {} : { conditions: [locallyAvailable(now)] },
    statusKeeps: [
      "metadata.labels",
      "metadata.annotations",
      "metadata.finalizers",
      "metadata.ownerReferences",
    ],
    resets: { status: ["metadata", "spec"] },
    conditionalUpdateOnly: true,
  },
  columns: [
    nameColumn,
    {
      name: "Service",
      type: "string",
      description: "The reference to the service that hosts this API endpoint.",
      cell: ({ spec: { service } }) =>
        service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "Local",
    },
    {
      name: "Available",
      type: "string",
      description: "Whether this service is available.",
      cell: ({ status }) => availability(status),
    },
    ageColumn,
  ],
});
export interface APIService extends ObjectOf<typeof APIService> {}

const statuses = ["True", "False", "Unknown"];

/** What this server serves itself is available from the start. */
export const locallyAvailable = (lastTransitionTime: string): APIServiceCondition => ({
  type: "Available",
  status: "True",
  lastTransitionTime,
  reason: "Local",
  message: "Local APIServices are always available",
});

function availability({ conditions = [] }: APIServiceStatus): string {
  const condition = conditions.find(({ type }) => type === "Available");
  if (!condition) return "Unknown";
  const { status, reason } = condition;
  return status !== "True" && reason ? `${status} (${reason})` : status;
}

function nameRule({ metadata, spec }: Body, at: At): void {
  const wanted = `${spec.version ?? ""}.${spec.group ?? ""}`;
  validateObjectMeta(metadata, at.child("metadata"), {
    namespaced: false,
    name(name) {
      const messages = pathSegmentName(name);
      if (messages.length > 0 || name === wanted) return messages;
      return [`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`];
    },
  });
}

function groupRules({ spec }: Body, at: At): void {
  const here = at.child("spec");
  const { group = "", version = "", groupPriorityMinimum, versionPriority } = spec;
  if (group === "") {
    if (version !== "v1")
      here.required("group", "only v1 may have an empty group and it better be legacy kube");
  } else here.invalidEach("group", group, isDns1123Subdomain(group));
  here.invalidEach("version", version, isDns1035Label(version));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20000)
    here.invalid(
      "groupPriorityMinimum",
      groupPriorityMinimum,
      "must be positive and less than 20000",
    );
  if (versionPriority <= 0 || versionPriority > 1000)
    here.invalid("versionPriority", versionPriority, "must be positive and less than 1000");
}

function serviceRules({ spec }: Body, at: At): void {
  const here = at.child("spec");
  const { service, caBundle = "", insecureSkipTLSVerify: insecure = false } = spec;
  if (!service) {
    if (caBundle !== "")
      here.invalid(
        "caBundle",
        `${decodedSize(caBundle)} bytes`,
        "local APIServices may not have a caBundle",
      );
    if (insecure)
      here.invalid(
        "insecureSkipTLSVerify",
        insecure,
        "local APIServices may not have insecureSkipTLSVerify",
      );
    return;
  }
  if (!service.namespace) here.required("service.namespace");
  if (!service.name) here.required("service.name");
  const port = service.port ?? 443;
  const messages = isValidPortNum(port);
  if (messages.length > 0)
    here.invalid("service.port", port, `port is not valid: ${messages.join(", ")}`);
  if (insecure && caBundle !== "")
    here.invalid("insecureSkipTLSVerify", insecure, "may not be true if caBundle is present");
}
