import { afterAll, beforeAll } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gears.tour.example.com
spec:
  group: tour.example.com
  scope: Namespaced
  names: {plural: gears, singular: gear, kind: Gear, shortNames: [gr], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.teeth, statusReplicasPath: .status.teeth}
    selectableFields:
    - jsonPath: .spec.color
    additionalPrinterColumns:
    - {name: Teeth, type: integer, jsonPath: .spec.teeth}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Color, type: string, jsonPath: .spec.color, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: A wheel with teeth.
        required: [spec]
        properties:
          spec:
            type: object
            required: [color]
            properties:
              color:
                type: string
                enum: [red, green]
                description: What it is painted with.
              teeth: {type: integer, minimum: 1, default: 8}
              tags:
                type: array
                x-kubernetes-list-type: set
                items: {type: string}
          status:
            type: object
            properties:
              teeth: {type: integer}
              conditions:
                type: array
                items:
                  type: object
                  properties: {type: {type: string}, status: {type: string}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

const gear = (name: string, spec: string, more = "") => `apiVersion: tour.example.com/v1
kind: Gear
metadata: {name: ${name}}
spec: ${spec}
${more}`;

const files = {
  "definition.yaml": definition,
  "a.yaml": gear("a", "{color: red}"),
  "a-green.yaml": gear("a", "{color: green, tags: [x]}"),
  "b.yaml": gear("b", "{color: green, teeth: 3, tags: [w]}"),
  "bad.yaml": gear("bad", "{color: blue, teeth: 0}"),
  "odd.yaml": gear("odd", "{color: red, bogus: 1}"),
};

const rows: Row[] = [
  [
    "apply -f definition.yaml",
    "customresourcedefinition.apiextensions.k8s.io/gears.tour.example.com created",
  ],
  [
    "wait --for=condition=Established crd/gears.tour.example.com --timeout=10s",
    "customresourcedefinition.apiextensions.k8s.io/gears.tour.example.com condition met",
  ],
  [
    "get crd gears.tour.example.com -o jsonpath='{.status.acceptedNames.kind} {.status.storedVersions[*]}'",
    "Gear v1",
  ],
  [
    "api-resources --api-group=tour.example.com",
    [
      "NAME  SHORTNAMES  APIVERSION  NAMESPACED  KIND",
      "gears  gr  tour.example.com/v1  true  Gear",
    ],
  ],
  ["create -f a.yaml", "gear.tour.example.com/a created"],
  ["create -f a.yaml", /gears\.tour\.example\.com "a" already exists/, 1],
  ["get gears", ["NAME  TEETH  READY", "a  8"]],
  ["get gr a -o wide", ["NAME  TEETH  READY  COLOR", "a  8  red"]],
  [
    "get gears.v1beta1.tour.example.com a -o jsonpath='{.apiVersion} {.spec.teeth}'",
    /^tour\.example\.com\/v1beta1 8/,
  ],
  [
    "explain gears.spec.color",
    /FIELD: color <string>\nENUM:\n\s+red\n\s+green\n\nDESCRIPTION:\n\s+What it is painted with\./,
  ],
  ["explain gear", /apiVersion\t<string>\n\s+APIVersion defines /],
  [
    "explain gear.metadata",
    /DESCRIPTION:\n\s+Standard object's metadata.*creationTimestamp\t<string>\n\s+CreationTimestamp is a timestamp /s,
  ],
  ["explain gear", /KIND:\s+Gear\nVERSION:\s+v1\n\nDESCRIPTION:\n\s+A wheel with teeth\./],
  [
    "create -f bad.yaml",
    /The Gear "bad" is invalid:.*\n\* spec\.color: Unsupported value: "blue": supported values: "red", "green".*\n\* spec\.teeth: Invalid value: 0: spec\.teeth in body should be greater than or equal to 1/,
    1,
  ],
  ["create -f odd.yaml", /strict decoding error: unknown field "spec\.bogus"/, 1],
  ["apply -f a-green.yaml", /^gear\.tour\.example\.com\/a configured\n/],
  [
    "get gear a -o jsonpath='{.spec} {.metadata.generation}'",
    '{"color":"green","tags":["x"],"teeth":8} 2',
  ],
  ["apply --server-side -f b.yaml", "gear.tour.example.com/b serverside-applied"],
  [
    "apply --server-side --field-manager=other -f b.yaml",
    "gear.tour.example.com/b serverside-applied",
  ],
  [`patch gear b --type=merge -p '{"spec":{"teeth":4}}'`, "gear.tour.example.com/b patched"],
  [
    "apply --server-side -f b.yaml",
    /conflict with "kubectl-patch" using tour\.example\.com\/v1: \.spec\.teeth/,
    1,
  ],
  [
    `patch gear b --type=json -p '[{"op":"replace","path":"/spec/color","value":"red"}]'`,
    "gear.tour.example.com/b patched",
  ],
  [
    `patch gear b --type=strategic -p '{"spec":{"teeth":5}}'`,
    /application\/merge-patch\+json, application\/apply-patch\+yaml/,
    1,
  ],
  [
    `patch gear b --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'`,
    "gear.tour.example.com/b patched",
  ],
  ["scale gear b --replicas=7", "gear.tour.example.com/b scaled"],
  ["get gears", ["NAME  TEETH  READY", "a  8", "b  7  True"]],
  ["get gears --field-selector=spec.color=red -o name", "gear.tour.example.com/b"],
  ["get all -o name", "service/kubernetes\ngear.tour.example.com/a\ngear.tour.example.com/b"],
  ["label gear a team=x", "gear.tour.example.com/a labeled"],
  ["delete gear a", 'gear.tour.example.com "a" deleted'],
  [
    "delete crd gears.tour.example.com",
    'customresourcedefinition.apiextensions.k8s.io "gears.tour.example.com" deleted',
  ],
  [
    "get --raw /apis/tour.example.com/v1/gears",
    /the server could not find the requested resource/,
    1,
  ],
  ["get crd", "No resources found"],
];

describeWith(requires("kubectl"))("kubectl works with resources that a definition brings", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour(files);
  });
  afterAll(() => tour.close());

  testCommands(() => tour, rows);
});
