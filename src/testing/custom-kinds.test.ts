import { expect, test } from "vitest";
import { each } from "../../test/each.ts";
import { createInformers } from "../client/informer/informers.ts";
import { Widget } from "../custom-kinds/widget.test-support.ts";
import { startCluster } from "./start-cluster.ts";

const red = { metadata: { name: "a" }, spec: { color: "red" } } as const;

each<[clock: "real" | "virtual"]>([["real"], ["virtual"]])(
  "startCluster: serves declared kinds, on a %s clock",
  async (clock) => {
    await using cluster = await startCluster({ clock, crds: [Widget] });
    const widget = await cluster.client.create(Widget, red);
    expect(widget.spec).toEqual({ color: "red", size: 3 });
    await expect(
      cluster.client.create(Widget, { metadata: { name: "b" }, spec: { color: "red", size: 99 } }),
    ).rejects.toThrow("spec.size in body should be less than or equal to 10");
    const copy = cluster.fork();
    expect((await copy.client.get(Widget, { name: "a" })).metadata.uid).toBe(widget.metadata.uid);
    await copy.close();
  },
);

test("startCluster: serves manifests", async () => {
  await using cluster = await startCluster({ crds: [Widget.definition] });
  expect((await cluster.client.list(Widget)).items).toEqual([]);
});

test("startCluster: rejects a definition that is not valid", async () => {
  const { spec, ...rest } = Widget.definition;
  const wrong = { ...rest, spec: { ...spec, group: "other.com" } };
  await expect(startCluster({ crds: [wrong] })).rejects.toThrow("metadata.name: Invalid value");
});

test("informers: hold objects of declared kinds", async () => {
  await using cluster = await startCluster({ clock: "virtual", crds: [Widget] });
  const { client, clock, random } = cluster;
  const informers = createInformers({ client, clock, random });
  const widgets = informers.of(Widget);
  await client.create(Widget, red);
  await cluster.settled();
  expect(widgets.list().map(({ spec }) => spec.color)).toEqual(["red"]);
  informers.close();
});
