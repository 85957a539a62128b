import { expect, test } from "vitest";
import { aNodeInfo, aPodInfo, pluginOf, scored } from "../framework/framework.test-support.ts";
import { imageLocality, imageScore } from "./image-locality.ts";

const megabyte = 1024 * 1024;

test.each([
  [0, 1, 0],
  [23 * megabyte, 1, 0],
  [1000 * megabyte, 1, 100],
  [5000 * megabyte, 1, 100],
  [1000 * megabyte, 2, 49],
])("imageScore: %d bytes of %d containers are worth %d", (bytes, containers, expected) => {
  expect(imageScore(bytes, containers)).toBe(expected);
});

test("nodes with the pod's images score higher, and widespread images count more", () => {
  const withImage = (name: string, ...images: [string, number, number][]) => {
    const info = aNodeInfo(name);
    info.images = new Map(images.map(([image, size, nodes]) => [image, { size, nodes }]));
    return info;
  };
  const nodes = [
    withImage(
      "both",
      ["example.com/main:1", 800 * megabyte, 2],
      ["side:latest", 400 * megabyte, 1],
    ),
    withImage("one", ["example.com/main:1", 800 * megabyte, 2]),
    aNodeInfo("none"),
    aNodeInfo("none-either"),
  ];
  const plugin = pluginOf(imageLocality, nodes);
  const containers = [
    { name: "a", image: "example.com/main:1" },
    { name: "b", image: "side" },
  ];
  // 800 MB on half of the nodes, and 400 MB on a quarter.
  expect(scored(plugin, aPodInfo("p", { spec: { containers } }), nodes)).toEqual([24, 19, 0, 0]);
  const unknown = aPodInfo("p", { spec: { containers: [{ name: "a", image: "unknown" }] } });
  expect(scored(plugin, unknown, nodes)).toBe("Skip");
});
