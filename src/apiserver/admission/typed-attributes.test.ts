import { expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { attributes } from "./attributes.test-support.ts";
import { draftOf, isFor, objectOf, oldOf } from "./typed-attributes.ts";

const request = attributes({ kind: "Pod", spec: { nodeName: "n" } });

test("objectOf, draftOf: the object of a request for the kind", () => {
  expect([objectOf(Pod, request).spec.nodeName, draftOf(Pod, request)]).toEqual([
    "n",
    request.object,
  ]);
  expect([isFor(Pod, request), isFor(Service, request)]).toEqual([true, false]);
});

test("objectOf, draftOf, oldOf: a request for another kind is a mistake of the plugin", () => {
  const error = "a request for pods is not one for services";
  expect(() => objectOf(Service, request)).toThrow(error);
  expect(() => draftOf(Service, request)).toThrow(error);
  expect(() => oldOf(Service, request)).toThrow(error);
});

test("oldOf: a create has no old object", () => {
  expect(() => oldOf(Pod, request)).toThrow("a CREATE has no old object");
  expect(oldOf(Pod, attributes({ old: { spec: { nodeName: "m" } } })).spec.nodeName).toBe("m");
});
