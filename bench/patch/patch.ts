import { deepStrictEqual } from "node:assert/strict";
import { cpus } from "node:os";
import { Deployment } from "../../src/api/apps/v1/deployment.ts";
import type { ApiObject } from "../../src/apiserver/objects/object.ts";
import { Resources } from "../../src/apiserver/objects/resources.ts";
import { readPatch } from "../../src/apiserver/verbs/patch/patch.ts";
import { apply, managedFieldsAfter, type Writer } from "../../src/schema/apply/field-manager.ts";
import { decodeJson } from "../../src/schema/json/decode.ts";
import { applyDefaults } from "../../src/schema/language/defaults.ts";
import type { Kind } from "../../src/schema/language/kind.ts";
import { canonicalise } from "../../src/schema/language/normalise.ts";
import { shapeOf } from "../../src/schema/language/shape.ts";
import { applyStrategicMergePatch } from "../../src/schema/strategic-merge/apply-strategic-merge-patch.ts";
import {
  createThreeWayMergePatch,
  createTwoWayMergePatch,
} from "../../src/schema/strategic-merge/create-merge-patch.ts";
import { countMembers } from "../../src/schema/strategic-merge/from-unstructured.ts";
import { printRace, race, verdict } from "../race-verdict.ts";
import { typicalPod } from "../typical-pod.ts";

type Json = Record<string, unknown>;

console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);

const kind = Deployment as unknown as Kind<ApiObject>;
const shape = shapeOf(kind.struct);
const { metadata, spec } = typicalPod;
const written = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { ...metadata, name: "web", uid: "5f0f9c86-31c9-4b41-9d3c-1d2ee4ab3e35" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: { metadata: { labels: metadata.labels }, spec },
  },
};
const decoded = decodeJson(kind.struct, JSON.stringify(written)).value;
applyDefaults(kind.struct, decoded);
const deployment = canonicalise(kind.struct, decoded) as Json;
const text = JSON.stringify(deployment);

// What a new release of an image makes kubectl apply send.
const change = JSON.stringify({
  metadata: { annotations: { "example.com/release": "1.24.4" } },
  spec: {
    replicas: 4,
    template: {
      spec: {
        "$setElementOrder/containers": spec.containers.map(({ name }) => ({ name })),
        containers: [
          {
            name: "web",
            image: "registry.example.com/web:1.24.4",
            "$setElementOrder/env": [{ name: "POD_NAME" }, { name: "LOG_LEVEL" }],
            env: [
              { name: "LOG_LEVEL", value: "debug" },
              { name: "DATABASE_URL", $patch: "delete" },
            ],
          },
        ],
      },
    },
  },
});
const patch = JSON.parse(change) as Json;
const patched = applyStrategicMergePatch(shape, deployment, patch);
const warnings: string[] = [];
const context = {
  type: "application/strategic-merge-patch+json",
  kind,
  resources: new Resources([kind]),
  fieldValidation: "Warn",
  warnings,
} as const;
const body = new TextEncoder().encode(change);
const serve = () =>
  readPatch(
    { body } as Parameters<typeof readPatch>[0],
    context,
  )(deployment as unknown as ApiObject);
const ways = { original: deployment, modified: patched, current: deployment, overwrite: true };

// What is measured also does its work.
const difference = createTwoWayMergePatch(shape, deployment, patched);
deepStrictEqual(applyStrategicMergePatch(shape, deployment, difference), patched);
deepStrictEqual(createThreeWayMergePatch(shape, ways), difference);
deepStrictEqual(canonicalise(kind.struct, serve()), canonicalise(kind.struct, patched));
deepStrictEqual(warnings, []);

// The same release, applied on the server's side: another configuration of the same manager.
const nothing = canonicalise(kind.struct, { metadata: {} }) as Json;
const writer: Writer = {
  versions: { shapeOf: () => shape, convert: (object) => object },
  version: "apps/v1",
  filterOf: () => undefined,
  manager: "bench",
  subresource: "",
  now: "2026-01-01T00:00:00Z",
  nothing,
};
const configOf = (replicas: number): Json => ({ ...written, spec: { ...written.spec, replicas } });
const applied = apply(writer, undefined, { config: configOf(3), force: false });
applyDefaults(kind.struct, applied);
const owned = canonicalise(kind.struct, applied) as Json;
const configuration = { config: configOf(4), force: false };
deepStrictEqual((apply(writer, owned, configuration).spec as Json).replicas, 4);

const results = race({
  "JSON.parse": () => JSON.parse(text),
  "apply a strategic merge patch": () => applyStrategicMergePatch(shape, deployment, patch),
  "read, apply, decode": serve,
  "apply a configuration": () => apply(writer, owned, configuration),
  "note who updated what": () =>
    managedFieldsAfter(writer, { live: owned, next: patched, given: undefined }),
  "two-way patch": () => createTwoWayMergePatch(shape, deployment, patched),
  "three-way patch": () => createThreeWayMergePatch(shape, ways),
});
const { "JSON.parse": reference = Number.NaN } = results;
console.log(
  `\na Deployment of ${countMembers(deployment)} fields, ${text.length} bytes, against JSON.parse in this run:`,
);
printRace(results);
verdict(
  "strategic merge of a change into a Deployment",
  (results["apply a strategic merge patch"] ?? Number.NaN) / reference,
  15,
);
verdict(
  "the same as the server does it, from bytes",
  (results["read, apply, decode"] ?? Number.NaN) / reference,
  15,
);
verdict(
  "server-side apply of a change to a Deployment",
  (results["apply a configuration"] ?? Number.NaN) / reference,
  60,
);
