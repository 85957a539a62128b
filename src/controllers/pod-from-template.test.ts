import { expect, test } from "vitest";
import { podFromTemplate } from "./pod-from-template.ts";

const owner = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name, namespace: "a", uid: "u" },
});
const spec = { containers: [{ name: "web", image: "nginx" }] };

test("podFromTemplate: a pod has the content of the template, and a controller reference", () => {
  const copied = {
    labels: { app: "web" },
    annotations: { a: "b" },
    finalizers: ["example.com/wait"],
  };
  const metadata = { ...copied, name: "ignored", namespace: "ignored" };
  expect(podFromTemplate({ metadata, spec } as never, owner("web"))).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...copied,
      generateName: "web-",
      namespace: "a",
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web",
          uid: "u",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec,
  });
});

test("podFromTemplate: a very long name has no dash", () => {
  const name = "w".repeat(253);
  expect(podFromTemplate({ metadata: {}, spec } as never, owner(name)).metadata.generateName).toBe(
    name,
  );
});
