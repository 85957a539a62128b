import { expect, test } from "vitest";
import { maskedBody } from "./masked-body.ts";

const secrets = "/api/v1/namespaces/default/secrets/s";
const shown = (body: object | string, path = secrets): unknown =>
  JSON.parse(maskedBody(body, path));

test("maskedBody: values of secrets are masked, names and removals are not", () => {
  const body = { kind: "Secret", data: { a: "MQ==", b: null }, stringData: { c: "2" }, type: "x" };
  expect(shown(body)).toEqual({
    kind: "Secret",
    data: { a: "***", b: null },
    stringData: { c: "***" },
    type: "x",
  });
  expect(shown({ data: { a: "1" } })).toEqual({ data: { a: "***" } });
  expect(shown({ data: null })).toEqual({ data: null });
  expect(shown({ data: "odd" })).toEqual({ data: "***" });
});

test("maskedBody: other kinds are shown, secrets among them are masked", () => {
  const path = "/api/v1/namespaces/default/configmaps";
  expect(shown({ kind: "ConfigMap", data: { a: "1" } }, path)).toEqual({
    kind: "ConfigMap",
    data: { a: "1" },
  });
  const list = {
    kind: "List",
    items: [{ kind: "Secret", data: { a: "1" } }, { data: { b: "2" } }],
  };
  expect(shown(list, path)).toEqual({
    kind: "List",
    items: [{ kind: "Secret", data: { a: "***" } }, { data: { b: "2" } }],
  });
});

test("maskedBody: the configuration that apply saves is masked, too", () => {
  const name = "kubectl.kubernetes.io/last-applied-configuration";
  const metadata = { annotations: { [name]: '{"kind":"Secret","data":{"a":"1"}}', other: "x" } };
  expect(shown({ metadata })).toEqual({
    metadata: { annotations: { [name]: '{"data":{"a":"***"},"kind":"Secret"}', other: "x" } },
  });
});

test("maskedBody: operations of JSON patches are masked by their paths", () => {
  const operations = [
    { op: "add", path: "/data/a", value: "1" },
    { op: "replace", path: "/data", value: { b: "2" } },
    { op: "replace", path: "/metadata/labels/l", value: "m" },
    { op: "remove", path: "/data/a" },
    { op: "replace", path: "", value: { stringData: { c: "3" } } },
    {
      op: "add",
      path: "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration",
      value: "{}",
    },
  ];
  expect(
    (shown(operations) as readonly { readonly value?: unknown }[]).map((one) => one.value),
  ).toEqual(["***", { b: "***" }, "m", undefined, { stringData: { c: "***" } }, "***"]);
});

test("maskedBody: YAML is read, and what cannot be read is only shown if it is of no secret", () => {
  expect(shown("data: {a: one}")).toEqual({ data: { a: "***" } });
  expect(maskedBody('{"data":', secrets)).toBe("(8 bytes, which may hold secrets)");
  expect(maskedBody('{"data":', "/api/v1/namespaces/default/configmaps/c")).toBe('{"data":');
});
