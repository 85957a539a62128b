import { expect, test } from "vitest";
import { admitted, rejectionBy } from "../attributes.test-support.ts";
import { alwaysPullImages } from "./always-pull-images.ts";

const container = (image: string, imagePullPolicy?: string) => ({
  name: "c",
  image,
  imagePullPolicy,
});
const spec = () => ({
  initContainers: [container("a", "Never")],
  containers: [container("b", "IfNotPresent"), container("c", "Always")],
  ephemeralContainers: [container("d")],
  volumes: [{ name: "v", image: { reference: "e", pullPolicy: "Never" } }, { name: "w" }],
});
const pulled = {
  initContainers: [container("a", "Always")],
  containers: [container("b", "Always"), container("c", "Always")],
  ephemeralContainers: [container("d", "Always")],
  volumes: [{ name: "v", image: { reference: "e", pullPolicy: "Always" } }, { name: "w" }],
};

test.each([
  ["a new pod", {}, pulled],
  ["a part of a pod", { subresource: "status" }, spec()],
  ["what is no pod", { kind: "Service" }, spec()],
  ["an update with no new image", { operation: "UPDATE", old: { spec: spec() } }, spec()],
  [
    "an update with a new image",
    { operation: "UPDATE", old: { spec: { containers: [container("b")] } } },
    pulled,
  ],
] as const)("alwaysPullImages: %s", async (_, given, wanted) => {
  expect(await admitted(alwaysPullImages, { ...given, spec: spec() })).toEqual(wanted);
});

const refused = (field: string, value: string) =>
  `pods "a" is forbidden: spec.${field}: Unsupported value: "${value}": supported values: "Always"`;

test("alwaysPullImages: changes by other plugins are rejected, all in one error", async () => {
  const all = [
    refused("initContainers[0].imagePullPolicy", "Never"),
    refused("containers[0].imagePullPolicy", "IfNotPresent"),
    refused("ephemeralContainers[0].imagePullPolicy", ""),
    refused("volumes[0].image.pullPolicy", "Never"),
  ];
  expect(await rejectionBy(alwaysPullImages, { spec: spec() })).toEqual(`[${all.join(", ")}]`);
  const one = { ...pulled, initContainers: [container("a", "Never")] };
  expect(await rejectionBy(alwaysPullImages, { spec: one })).toEqual(all[0]);
  expect(await rejectionBy(alwaysPullImages, { spec: pulled })).toEqual(undefined);
});
