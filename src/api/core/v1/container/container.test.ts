import { expect, test } from "vitest";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import type { Struct } from "../../../../schema/language/struct.ts";
import { Container } from "./container.ts";
import { EphemeralContainer } from "./ephemeral-container.ts";

const defaulted = (struct: Struct, input: object): unknown => {
  const value = normalise(struct, input)?.value;
  applyDefaults(struct, value);
  return value;
};
const always = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

test("Container: defaults of a container that says little", () => {
  expect(defaulted(Container, { name: "a", image: "app" })).toEqual({
    name: "a",
    image: "app",
    ...always,
    imagePullPolicy: "Always",
  });
});

test("EphemeralContainer: the same defaults", () => {
  expect(defaulted(EphemeralContainer, { name: "a", image: "app:1" })).toEqual({
    name: "a",
    image: "app:1",
    ...always,
    imagePullPolicy: "IfNotPresent",
  });
});

test("Container: defaults of ports, probes and hooks; a zero counts as absent", () => {
  expect(
    defaulted(Container, {
      name: "a",
      image: "app:1",
      ports: [{ containerPort: 80 }],
      livenessProbe: { grpc: { port: 1 }, periodSeconds: 0, failureThreshold: 5 },
      lifecycle: { preStop: { httpGet: { port: "web" } } },
    }),
  ).toEqual({
    name: "a",
    image: "app:1",
    ports: [{ containerPort: 80, protocol: "TCP" }],
    ...always,
    livenessProbe: {
      grpc: { port: 1, service: "" },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 5,
    },
    lifecycle: { preStop: { httpGet: { path: "/", port: "web", scheme: "HTTP" } } },
    imagePullPolicy: "IfNotPresent",
  });
});
