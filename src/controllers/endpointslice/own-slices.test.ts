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

test("OwnSlices: what was written is no news, what comes after it is", () => {
  const own = new OwnSlices();
  expect(own.isNews(slice("a", 1), false)).toBe(true);
  own.wrote(slice("a", 2));
  expect(own.isNews(slice("a", 1), false)).toBe(false);
  expect(own.isNews(slice("a", 2), false)).toBe(false);
  expect(own.isNews(slice("a", 3), false)).toBe(true);
});

test("OwnSlices: that a slice is gone is news unless it was deleted here", () => {
  const own = new OwnSlices();
  own.wrote(slice("a", 1));
  expect(own.isNews(slice("a", 1), true)).toBe(true);
  own.deleted(slice("b", 1));
  expect(own.isNews(slice("b", 1), false)).toBe(false);
  expect(own.isNews(slice("b", 1), true)).toBe(false);
});

test("OwnSlices: what is seen while slices are written is judged when all of them are", () => {
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
