import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { write } from "../../write.test-support.ts";
import { CustomResourceDefinition } from "./custom-resource-definition.ts";
import {
  createErrors,
  definition,
  updateErrors,
  version,
  withSpec,
} from "./definition.test-support.ts";

const text = { type: "string" };
const fields = Object.fromEntries([..."abcdefghi"].map((name) => [name, text]));
const established = {
  conditions: [{ type: "Established", status: "True" }],
  storedVersions: ["v1"],
};

const storedOne =
  '{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}';

each<[rule: string, changes: Parameters<typeof createErrors>[0], errors: string[]]>([
  ["what is right is accepted", {}, []],
  [
    "a group is a domain",
    { metadata: { name: "apples.example" }, spec: { group: "example" } },
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  [
    "kind and kind of lists differ",
    { spec: { names: { plural: "apples", kind: "Apple", listKind: "Apple" } } },
    ['spec.names.listKind: Invalid value: "Apple": kind and listKind may not be the same'],
  ],
  [
    "categories are labels",
    { spec: { names: { plural: "apples", kind: "Apple", categories: ["ok", "All"] } } },
    [
      "spec.names.categories[1]: Invalid value: \"All\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    "versions differ in their names",
    { spec: { versions: [version(), version({ storage: false })] } },
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
    ],
  ],
  [
    "one version is stored, and found among the stored ones once",
    { spec: { versions: [version(), version()] } },
    [
      `spec.versions: Invalid value: [${storedOne},${storedOne}]: must contain unique version names`,
      `spec.versions: Invalid value: [${storedOne},${storedOne}]: must have exactly one version marked as storage version`,
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
    ],
  ],
  [
    "there are versions",
    { spec: { versions: [] } },
    [
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  [
    "a warning is printable",
    { spec: { versions: [version({ deprecated: true, deprecationWarning: "é\tx" })] } },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "é\\tx": must only contain printable UTF-8 characters; non-printable character found at index 2',
    ],
  ],
  [
    "columns have a known type and format, and a path",
    {
      spec: {
        versions: [
          version({
            additionalPrinterColumns: [
              { name: "", type: "text", format: "int8", jsonPath: "spec.x" },
              { name: "A", type: "", jsonPath: "" },
            ],
          }),
        ],
      },
    },
    [
      "spec.additionalPrinterColumns[0].name: Required value",
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "int8": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.x": must be a simple json path starting with .',
      "spec.additionalPrinterColumns[1].type: Required value: must be one of boolean,date,integer,number,string",
      "spec.additionalPrinterColumns[1].JSONPath: Required value",
    ],
  ],
  [
    "what versions do not share is spoken of in each",
    {
      spec: {
        versions: [
          version({
            subresources: {
              scale: { specReplicasPath: ".status.a", statusReplicasPath: ".status.b" },
            },
          }),
          version({ name: "v2", storage: false }),
        ],
      },
    },
    [
      'spec.versions[0].subresources.scale.specReplicasPath: Invalid value: ".status.a": should be a json path under .spec',
    ],
  ],
  [
    "a selector of pods is in spec or status",
    {
      spec: {
        versions: [
          version({
            subresources: {
              scale: {
                specReplicasPath: ".spec.a",
                statusReplicasPath: ".status.b",
                labelSelectorPath: ".other",
              },
            },
          }),
        ],
      },
    },
    [
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".other": should be a json path under either .spec or .status',
    ],
  ],
  [
    "with a status, the root says little",
    {
      spec: {
        versions: [
          version({
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: "object", maxProperties: 3 } },
          }),
        ],
      },
    },
    [
      expect.stringMatching(
        /^spec.validation.openAPIV3Schema: Invalid value: \{"ID":"".*"MaxProperties":3,.*\}: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
      ),
    ],
  ],
  [
    "selectable fields are few, differ, and are no metadata",
    {
      spec: {
        versions: [
          withSpec(
            { type: "object", properties: fields },
            {
              selectableFields: [
                ...Object.keys(fields).map((name) => ({ jsonPath: `.spec.${name}` })),
                { jsonPath: ".spec.a" },
                { jsonPath: ".spec['a']" },
                { jsonPath: ".spec" },
                { jsonPath: "" },
              ],
            },
          ),
        ],
      },
    },
    [
      'spec.selectableFields[9].jsonPath: Duplicate value: ".spec.a"',
      "spec.selectableFields[10].jsonPath: Invalid value: \".spec['a']\": is an invalid path: array notation is not allowed",
      'spec.selectableFields[11].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      "spec.selectableFields[12].jsonPath: Required value",
      "spec.selectableFields: Too many: 10: must have at most 8 items",
    ],
  ],
  [
    "a webhook has a place, and versions of reviews",
    {
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { url: "http://a.example" },
            conversionReviewVersions: ["v2", "v2", "V3"],
          },
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      expect.stringContaining('conversionReviewVersions[2]: Invalid value: "V3": a DNS-1035'),
      'spec.conversion.conversionReviewVersions: Invalid value: ["v2","v2","V3"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "without a webhook, nothing is said of one",
    {
      spec: {
        conversion: {
          strategy: "None",
          webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] },
        },
      },
    },
    [
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
    ],
  ],
  [
    "the strategy of conversion is known",
    { spec: { conversion: { strategy: "Magic" } } },
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
  [
    "an API of the community is approved",
    { metadata: { name: "apples.x.k8s.io" }, spec: { group: "x.k8s.io" } },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
])("create: %s", (_, changes, errors) => {
  expect(createErrors(changes)).toEqual(errors);
});

each<[rule: string, before: object, after: object, errors: string[]]>([
  ["nothing need change", {}, {}, []],
  [
    "a group stays",
    {},
    { spec: { group: "other.example" } },
    ['spec.group: Invalid value: "other.example": field is immutable'],
  ],
  [
    "kind and scope may change before it is served",
    {},
    { spec: { scope: "Cluster", names: { plural: "apples", kind: "Fruit" } } },
    [],
  ],
  [
    "kind and scope stay once it is served",
    { status: established },
    { spec: { scope: "Cluster", names: { plural: "apples", kind: "Fruit" } } },
    [
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Fruit": field is immutable',
    ],
  ],
  [
    "a version that objects may be stored in stays",
    { status: established },
    { spec: { versions: [version({ name: "v2" })] } },
    [
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ],
  ],
  [
    "certificates can be read once it is served",
    { status: established },
    {
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { url: "https://a.example", caBundle: "YWJj" },
            conversionReviewVersions: ["v1"],
          },
        },
      },
    },
    [
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "YWJj": unable to load root certificates: unable to parse bytes as PEM block',
    ],
  ],
  [
    "a schema that was not structural may stay so",
    { spec: { preserveUnknownFields: true, versions: [withSpec({})] } },
    { spec: { preserveUnknownFields: true, versions: [withSpec({})] } },
    [],
  ],
  [
    "a set whose items were not atomic may stay so",
    {
      spec: {
        versions: [
          withSpec({ type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } }),
        ],
      },
    },
    {
      spec: {
        versions: [
          withSpec({ type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } }),
        ],
      },
    },
    [],
  ],
])("update: %s", (_, before, after, errors) => {
  expect(updateErrors(before, after)).toEqual(errors);
});

test("prepareUpdate: a change of the spec is a new generation, and its storage version is noted", () => {
  const old = definition({ metadata: { generation: 4 }, status: established });
  const object = definition({
    metadata: { generation: 4 },
    spec: { versions: [version({ storage: false }), version({ name: "v2" })] },
  });
  CustomResourceDefinition.strategy.prepareUpdate?.(object as never, old as never, write);
  expect([object.metadata.generation, object.status.storedVersions]).toEqual([5, ["v1", "v2"]]);
});

test("prepareUpdate: what only looks different is no new generation", () => {
  const old = definition({ metadata: { generation: 4 }, status: established });
  const object = definition({
    metadata: { generation: 4 },
    spec: { names: { plural: "apples", kind: "Apple", shortNames: [] } },
  });
  CustomResourceDefinition.strategy.prepareUpdate?.(object as never, old as never, write);
  expect(object.metadata.generation).toBe(4);
});

test("warnings: a format that says nothing, unless it was there before", () => {
  const warnings = CustomResourceDefinition.strategy.warnings as (
    object: unknown,
    old: unknown,
  ) => readonly string[];
  const now = definition({
    spec: {
      versions: [
        withSpec({
          type: "object",
          properties: {
            a: { type: "string", format: "odd" },
            b: { type: "integer", format: "int8" },
            c: { type: "string", format: "date-time" },
          },
        }),
      ],
    },
  });
  const before = definition({ spec: { versions: [withSpec({ type: "string", format: "odd" })] } });
  expect([warnings(now, undefined), warnings(now, before)]).toEqual([
    ['unrecognized format "odd"', 'unrecognized format "int8"'],
    ['unrecognized format "int8"'],
  ]);
});
