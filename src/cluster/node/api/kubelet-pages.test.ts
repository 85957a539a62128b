import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { SeededRandom } from "../../../base/random.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import type { PageName } from "../../../kubelet/api/routes.ts";
import { versionInfo } from "../../version.ts";
import { kubeletPages } from "./kubelet-pages.ts";

function pages(
  flags?: Readonly<Record<string, string>>,
  setVerbosity?: (verbosity: number) => void,
) {
  const [metrics, probeMetrics] = [new MetricsRegistry(), new MetricsRegistry()];
  metrics.gauge({ name: "a", help: "A." }).of().set(1);
  probeMetrics.gauge({ name: "b", help: "B." }).of().set(2);
  const serve = kubeletPages({
    ...{ version: versionInfo, metrics, probeMetrics, flags, setVerbosity },
    ...{ clock: new VirtualClock(), random: new SeededRandom(1) },
    configuration: { kind: "KubeletConfiguration", port: 10250 },
  });
  return async (
    page: PageName,
    { path = `/${page}`, method = "GET", query = "", body = "" } = {},
  ) => {
    const { signal } = new AbortController();
    const asked = {
      method,
      path,
      query: new URLSearchParams(query),
      headers: {},
      signal,
      body: Buffer.from(body),
    };
    const response = await serve(page, asked);
    return response && { status: response.status, text: response.body };
  };
}

each<[page: PageName, options: object, text: string]>([
  ["healthz", {}, "ok"],
  ["healthz", { path: "/healthz/syncloop" }, "ok"],
  [
    "healthz",
    { query: "verbose" },
    "[+]ping ok\n[+]log ok\n[+]syncloop ok\nhealthz check passed\n",
  ],
  ["metrics", {}, "# HELP a A.\n# TYPE a gauge\na 1\n"],
  // Only service level indicators can be reset.
  ["metrics", { method: "DELETE" }, "# HELP a A.\n# TYPE a gauge\na 1\n"],
  ["metrics/probes", {}, "# HELP b B.\n# TYPE b gauge\nb 2\n"],
  ["configz", {}, '{"kubeletconfig":{"kind":"KubeletConfiguration","port":10250}}'],
])("kubeletPages: %s %j", async (page, options, text) => {
  expect(await pages()(page, options)).toEqual({ status: 200, text });
});

test("kubeletPages: checks of health are counted", async () => {
  const get = pages();
  await get("healthz");
  expect((await get("metrics/slis"))?.text).toContain(
    'kubernetes_healthchecks_total{name="syncloop",status="success",type="healthz"} 1\n',
  );
});

each<[method: string, body: string, status: number, text: string, set: readonly number[]]>([
  ["PUT", "5", 200, "successfully set klog.logging.verbosity to 5", [5]],
  ["PUT", "-1", 400, 'strconv.ParseUint: parsing "-1": invalid syntax', []],
  ["PUT", "4294967296", 400, 'strconv.ParseUint: parsing "4294967296": value out of range', []],
  ["GET", "5", 406, "unsupported http method", []],
])("kubeletPages: %s of the verbosity %j", async (method, body, status, text, set) => {
  const verbosities: number[] = [];
  const get = pages(undefined, (verbosity) => void verbosities.push(verbosity));
  expect(await get("debug/flags/v", { method, body })).toEqual({ status, text });
  expect(verbosities).toEqual(set);
});

test("kubeletPages: profiles have an index", async () => {
  const index = await pages()("debug/pprof", { path: "/debug/pprof/" });
  expect(index?.text).toContain('<a href="profile">');
});

test("kubeletPages: flags are shown if they are known", async () => {
  expect(await pages()("flagz")).toBeUndefined();
  expect((await pages({ v: "2" })("flagz"))?.text).toMatch(/^\nkubelet flagz\n.*\nv.*2\n$/s);
  expect((await pages({})("statusz"))?.text).toMatch(
    /^\nkubelet statusz\n.*Paths.* \/configz \/debug \/flagz \/healthz \/metrics\n$/s,
  );
});
