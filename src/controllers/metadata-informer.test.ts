import { expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { SeededRandom } from "../base/random.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { createClient } from "../client/client.ts";
import { createInformers, type Informers } from "../client/informer/informers.ts";
import type { Transport } from "../client/transport.ts";
import { metadataInformer, slimMetadata } from "./metadata-informer.ts";

const object = () => ({
  apiVersion: "meta.k8s.io/v1",
  kind: "PartialObjectMetadata",
  metadata: {
    name: "a",
    uid: "u",
    resourceVersion: "5",
    labels: { app: "web" },
    finalizers: ["wait"],
  },
});

test.each<[title: string, before: (informers: Informers) => void, watches: string[]]>([
  ["whole objects are shared", (informers) => informers.of(ConfigMap), ["whole"]],
  [
    "those of a namespace, or a part of them, are not",
    (informers) => {
      informers.of(ConfigMap, { namespace: "a" });
      informers.of(ConfigMap, { transform: (object) => object });
    },
    ["whole", "whole", "metadata"],
  ],
  [
    "an informer that was closed is not used",
    (all) => all.of(ConfigMap).close(),
    ["whole", "metadata"],
  ],
  ["metadata are shared", (informers) => metadataInformer(informers, ConfigMap), ["metadata"]],
])("metadataInformer: %s", async (_, before, expected) => {
  const watches: string[] = [];
  const transport: Transport = ({ headers }) => {
    watches.push(`${headers.accept}`.includes("PartialObjectMetadata") ? "metadata" : "whole");
    return new Promise(() => {});
  };
  const clock = new VirtualClock();
  const client = createClient(transport, { clock });
  const informers = createInformers({ client, clock, random: new SeededRandom(1) });
  before(informers);
  metadataInformer(informers, ConfigMap);
  await clock.advance(0);
  expect(watches).toEqual(expected);
  informers.close();
});

test("slimMetadata: keeps the metadata that the graph needs", () => {
  const { metadata } = slimMetadata(object());
  expect(metadata).toEqual({ name: "a", uid: "u", resourceVersion: "5", finalizers: ["wait"] });
});

test("slimMetadata: an object shared with a server in this process is not copied", () => {
  const shared = object();
  Object.freeze(shared.metadata);
  expect(slimMetadata(shared)).toBe(shared);
});
