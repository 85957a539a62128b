import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Kubelet } from "../kubelet.ts";
import { kubeletApi } from "./kubelet-api.ts";
import { textResponse } from "./kubelet-request.ts";

test("kubeletApi: serves the pages that it is given", async () => {
  const common = { kubeletFor: () => ({}) as Kubelet, clock: new VirtualClock() };
  const get = (path: string) => ({
    ...{ method: "GET", path, query: new URLSearchParams(), headers: {} },
    signal: new AbortController().signal,
  });
  const withPages = kubeletApi({ ...common, pages: (page) => textResponse(200, page) });
  for (const page of ["healthz", "metrics", "metrics/probes", "metrics/slis", "configz"])
    expect(await withPages(get(`/${page}`))).toMatchObject({ status: 200, body: page });
  const without = kubeletApi(common);
  expect(await without(get("/healthz"))).toMatchObject({ status: 200, body: "ok" });
  expect(await without(get("/metrics/probes"))).toMatchObject({ status: 404 });
});
