import { expect, test } from "vitest";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { OwnSlices } from "./own-slices.ts";

const slice = (uid: string, generation: number): EndpointSlice =>
  ({
    metadata: {
      uid,
      generation,
      namespace: "default",
      labels: { "kubernetes.io/service-name": "web" },
    },
  }) as never;
const web = { namespace: "default", name: "web" };

test("OwnSlices: an own write is no change by others, a later generation is", () => {
  const own = new OwnSlices();
  expect(own.isNews(slice("a", 1), false)).toBe(true);
  own.wrote(slice("a", 2));
  expect(own.isNews(slice("a", 1), false)).toBe(false);
  expect(own.isNews(slice("a", 2), false)).toBe(false);
  expect(own.isNews(slice("a", 3), false)).toBe(true);
});

test("OwnSlices: a deletion counts as a change by others unless it is an own write", () => {
  const own = new OwnSlices();
  own.wrote(slice("a", 1));
  expect(own.isNews(slice("a", 1), true)).toBe(true);
  own.deleted(slice("b", 1));
  expect(own.isNews(slice("b", 1), false)).toBe(false);
  expect(own.isNews(slice("b", 1), true)).toBe(false);
});

test("OwnSlices: events during writes are compared after the last write", () => {
  const own = new OwnSlices();
  own.begin(web);
  expect(own.isNews(slice("a", 1), false)).toBe(false);
  own.wrote(slice("a", 1));
  expect(own.end(web)).toBe(false);
  own.begin(web);
  expect(own.isNews(slice("a", 3), false)).toBe(false);
  own.wrote(slice("a", 2));
  expect(own.end(web)).toBe(true);
});
