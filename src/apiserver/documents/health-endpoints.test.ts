import { expect, test } from "vitest";
import { Query } from "../request/query.ts";
import { type HealthCheck, health } from "./health-endpoints.ts";

const good: HealthCheck = { name: "ping", check: () => undefined };
const bad: HealthCheck = { name: "etcd", check: async () => "on fire" };

const leaving: HealthCheck = { name: "shutdown", ofReadiness: true, check: () => "leaving" };

const ask = async (path: string, query: string, checks: readonly HealthCheck[]) => {
  const { status, body } = await health(path, new Query(query), { checks });
  return [status, body];
};

test.each([
  ["all is well", "/readyz", "", [good], [200, "ok"]],
  ["and in detail", "/readyz", "verbose", [good], [200, "[+]ping ok\nreadyz check passed\n"]],
  [
    "a failure withholds its reason",
    "/livez",
    "",
    [good, bad],
    [500, "[+]ping ok\n[-]etcd failed: reason withheld\nlivez check failed\n"],
  ],
  ["what is excluded does not count", "/healthz", "exclude=etcd", [good, bad], [200, "ok"]],
  [
    "excluded checks are listed",
    "/healthz",
    "exclude=etcd&verbose",
    [good, bad],
    [200, "[+]ping ok\n[+]etcd excluded: ok\nhealthz check passed\n"],
  ],
  [
    "unknown exclusions are listed, sorted and each once",
    "/livez",
    "exclude=z&exclude=a&exclude=z&exclude=ping&verbose",
    [good],
    [
      200,
      '[+]ping excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a","z"\nlivez check passed\n',
    ],
  ],
  [
    "a readiness check does not affect liveness",
    "/livez",
    "verbose",
    [good, leaving],
    [200, "[+]ping ok\nlivez check passed\n"],
  ],
  [
    "a readiness check affects readiness",
    "/readyz",
    "",
    [good, leaving],
    [500, "[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n"],
  ],
  ["one check", "/readyz/ping", "", [good, bad], [200, "ok"]],
  [
    "one check that fails",
    "/readyz/etcd",
    "",
    [good, bad],
    [500, "internal server error: on fire\n"],
  ],
  ["a check that does not exist", "/readyz/none", "", [good], [404, "404 page not found\n"]],
] as const)("health: %s", async (_, path, query, checks, wanted) => {
  expect(await ask(path, query, checks)).toEqual(wanted);
});
