import { expect, test } from "vitest";
import { hostPort, noNetwork } from "./network.ts";

test("hostPort: an IPv6 address is written in brackets", () => {
  expect([hostPort("10.0.0.1", 1), hostPort("::1", 2)]).toEqual(["10.0.0.1:1", "[::1]:2"]);
});

test("noNetwork: every dial and every lookup fails", async () => {
  const { signal } = new AbortController();
  await expect(noNetwork.dial({ host: "::1", port: 80 }, signal)).rejects.toThrow(
    "dial tcp [::1]:80: connect: network is unreachable",
  );
  await expect(noNetwork.lookup("a.example.com")).rejects.toThrow("no such host");
});
