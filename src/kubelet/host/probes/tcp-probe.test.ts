import { expect, test } from "vitest";
import type { ProbeAnswer, ProbeRequest } from "../../pod/probes/prober.ts";
import { freePort, socketServer } from "../http/raw-server.test-support.ts";
import { tcpProbe } from "./tcp-probe.ts";

async function probe(port: number | string, host?: string): Promise<ProbeAnswer> {
  const { signal } = new AbortController();
  const container = { name: "c", ports: [] };
  const request = { probe: { timeoutSeconds: 1 }, container, podIP: "127.0.0.1", signal };
  return tcpProbe({ port, host } as never, request as unknown as ProbeRequest);
}

test("tcpProbe: a connection is enough, and is closed at once", async () => {
  let ended = 0;
  const server = await socketServer((socket) => {
    socket.on("error", () => {});
    socket.on("end", () => ended++).resume();
  });
  expect(await probe(server.port)).toEqual({ result: "success", output: "" });
  await expect.poll(() => [ended, server.open()]).toEqual([1, 0]);
});

test("tcpProbe: says why there is no connection", async () => {
  const port = await freePort();
  const failure = (output: string): ProbeAnswer => ({ result: "failure", output });
  expect(await probe(port)).toEqual(
    failure(`dial tcp 127.0.0.1:${port}: connect: connection refused`),
  );
  expect(await probe(port, "::1")).toEqual(
    failure(`dial tcp [::1]:${port}: connect: connection refused`),
  );
  expect(await probe(port, "no-such-host.invalid")).toMatchObject({
    output: expect.stringContaining("dial tcp: lookup no-such-host.invalid: "),
  });
  await expect(probe("web")).rejects.toMatchObject({ state: "unknown" });
});
