import type { Definition } from "../language/kind-definition.ts";

/** A manifest as others write them: with members that TypeScript cannot name, and a name that comes out twice. */
export const gadgetDefinition: Definition = {
  metadata: { name: "gadgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { kind: "Gadget", plural: "gadgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A gadget.\n\nIt has */ in its description.",
            properties: {
              apiVersion: { type: "string" },
              kind: { type: "string" },
              metadata: { type: "object" },
              spec: {
                type: "object",
                required: ["a-b", "mode"],
                properties: {
                  "a-b": { type: "object", properties: { x: { type: "integer" } } },
                  aB: { type: "object", properties: { x: { type: "string" } } },
                  mode: { type: "string", enum: ["on", "off"], default: "on" },
                  matrix: {
                    type: "array",
                    items: {
                      type: "array",
                      items: { type: "number", nullable: true },
                    },
                  },
                  policies: {
                    type: "array",
                    items: { type: "object", properties: { name: { type: "string" } } },
                  },
                  template: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  anything: { "x-kubernetes-preserve-unknown-fields": true },
                  open: {
                    type: "object",
                    properties: { known: { type: "boolean" } },
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
            },
          },
        },
      },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
      { name: "v1alpha1", served: false, storage: false, schema: {} },
    ],
  },
};
