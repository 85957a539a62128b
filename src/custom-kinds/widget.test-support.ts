import { list, mapOf, stringMap, struct } from "./language/containers.ts";
import { kind, type ObjectOf } from "./language/kind.ts";
import { conditions } from "./language/kubernetes.ts";
import { bool, int32, quantity, string, time } from "./language/scalars.ts";

const port = struct({
  name: string().max(15).required(),
  port: int32().min(1).max(65_535).required(),
  protocol: string().values("TCP", "UDP").default("TCP"),
});

/** A kind that uses most of the language. */
export const Widget = kind({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
  shortNames: ["wd"],
  categories: ["all"],
  doc: "A widget.",
  fields: {
    spec: struct({
      size: int32().min(1).max(10).default(3).doc("How large it is."),
      color: string().values("red", "green").required().doc("Its color."),
      memory: quantity(),
      paused: bool(),
      name: string().min(1).max(63).pattern("^[a-z]+$").immutable(),
      ports: list(port).keyedBy("name").max(8),
      labels: stringMap().max(4),
      parts: mapOf(struct({ weight: int32() })).nullable(),
    })
      .rule("self.size < 9 || self.color == 'red'", "only red widgets are that large")
      .required(),
    status: struct({
      readySize: int32(),
      lastSeen: time(),
      conditions: conditions(),
    }),
  },
  columns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Color", type: "string", jsonPath: ".spec.color", wide: true },
  ],
  scale: { replicas: ".spec.size", currentReplicas: ".status.readySize" },
  selectableFields: [".spec.color"],
});
export interface Widget extends ObjectOf<typeof Widget> {}
