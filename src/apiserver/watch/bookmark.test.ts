import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { kinds } from "../../api/kinds.generated.ts";
import { envelope } from "../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../schema/protobuf/protobuf.ts";
import type { AnyKind } from "../objects/object.ts";
import { negotiate } from "../request/negotiation.ts";
import { watchEncoding } from "./watch-encoding.ts";

const options = { includeObject: "Metadata", now: () => 0 } as const;
const json = "application/json";
const table = `${json};as=Table;g=meta.k8s.io;v=v1`;

function kindOf(apiVersion: string, name: string): AnyKind {
  const found = kinds.find(
    ({ group, version, kind }) =>
      kind === name && apiVersion === (group === "" ? version : `${group}/${version}`),
  );
  if (!found) throw new Error(`no kind ${apiVersion} ${name}`);
  return found as AnyKind;
}

const bookmark = (kind: AnyKind, { accept = json, initialEnd = false } = {}) =>
  watchEncoding(kind, { accept: negotiate(accept), ...options })?.bookmark(5, initialEnd);

type Row = [apiVersion: string, kind: string, fields: string];

/** The fields that stand beside kind, apiVersion and metadata, as they are written. */
const written: [Row, ...Row[]] = [
  ["v1", "ConfigMap", ""],
  ["v1", "Pod", `,"spec":{"containers":null},"status":{}`],
  ["v1", "Service", `,"spec":{},"status":{"loadBalancer":{}}`],
  ["v1", "ReplicationController", `,"spec":{"replicas":0},"status":{"replicas":0}`],
  [
    "apps/v1",
    "Deployment",
    `,"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}`,
  ],
  ["rbac.authorization.k8s.io/v1", "ClusterRole", `,"rules":null`],
  ["discovery.k8s.io/v1", "EndpointSlice", `,"addressType":"","endpoints":null,"ports":null`],
  ["apps/v1", "ControllerRevision", `,"data":null,"revision":0`],
];
each(written)(
  "bookmark: %s %s has the fields that are always written",
  (apiVersion, kind, fields) => {
    expect(bookmark(kindOf(apiVersion, kind))).toEqual(
      `{"type":"BOOKMARK","object":{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":{"resourceVersion":"5"}${fields}}}\n`,
    );
  },
);

test("bookmark: the end of the initial events is an annotation beside those of the kind", () => {
  const text = String(bookmark(kindOf("apps/v1", "DaemonSet"), { initialEnd: true }));
  expect(JSON.parse(text).object.metadata).toEqual({
    resourceVersion: "5",
    annotations: {
      "deprecated.daemonset.template.generation": "0",
      "k8s.io/initial-events-end": "true",
    },
  });
});

test("bookmark: is encoded as protobuf with the same fields", () => {
  const kind = kindOf("apps/v1", "ReplicaSet");
  const object = JSON.parse(String(bookmark(kind))).object;
  const raw = encodeProtobuf(kind.struct as never, object);
  const frame = Buffer.from(
    bookmark(kind, { accept: "application/vnd.kubernetes.protobuf" }) as never,
  );
  expect(
    frame.includes(Buffer.from(envelope({ apiVersion: "apps/v1", kind: "ReplicaSet", raw }))),
  ).toBe(true);
});

test("bookmark: is a table with one row for every kind", () => {
  for (const kind of kinds as readonly AnyKind[]) {
    const { object } = JSON.parse(String(bookmark(kind, { accept: table })));
    expect([object.kind, object.metadata.resourceVersion, object.rows.length]).toEqual([
      "Table",
      "5",
      1,
    ]);
  }
});
