import { createServer } from "node:http2";
import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { GrpcError, grpcCodes } from "../../../platform/grpc/grpc-error.ts";
import { createGrpcServer, unaryHandler } from "../../../platform/grpc/grpc-server.ts";
import type { ProbeAnswer, ProbeRequest } from "../../pod/probes/prober.ts";
import { freePort, rawServer, started } from "../http/raw-server.test-support.ts";
import { grpcProbe } from "./grpc-probe.ts";
import { healthCheck } from "./health-service.ts";

async function probe(port: number, service?: string): Promise<ProbeAnswer> {
  const { signal } = new AbortController();
  const request = { probe: { timeoutSeconds: 1 }, podIP: "127.0.0.1", signal };
  return grpcProbe({ port, service } as never, request as unknown as ProbeRequest);
}

const failure = (output: string): ProbeAnswer => ({ result: "failure", output });

/** A server with a health service. */
function healthServer(answer: (service: string) => Promise<{ readonly status: number }>) {
  const health = unaryHandler(healthCheck, ({ service }) => answer(service));
  const server = createGrpcServer({ handlers: [health], maxMessageBytes: 1 << 20 });
  return started(server as never, [], "127.0.0.1");
}

each<[status: number, expected: ProbeAnswer]>([
  [0, failure('service unhealthy (responded with "UNKNOWN")')],
  [1, { result: "success", output: "service healthy" }],
  [2, failure('service unhealthy (responded with "NOT_SERVING")')],
  [3, failure('service unhealthy (responded with "SERVICE_UNKNOWN")')],
  [7, failure('service unhealthy (responded with "7")')],
])("grpcProbe: status %i", async (status, expected) => {
  const server = await healthServer(async () => ({ status }));
  expect(await probe(server.port)).toEqual(expected);
  await expect.poll(() => server.open()).toBe(0);
});

test("grpcProbe: asks for a service by its name", async () => {
  const server = await healthServer(async (service) => {
    if (service === "known") return { status: 1 };
    throw new GrpcError(grpcCodes.notFound, "unknown service");
  });
  expect((await probe(server.port, "known")).result).toBe("success");
  expect(await probe(server.port, "other")).toEqual(
    failure("error: health rpc probe failed: rpc error: code = NotFound desc = unknown service"),
  );
});

test("grpcProbe: a server without the health service, and one that is not of gRPC", async () => {
  const empty = createGrpcServer({ handlers: [], maxMessageBytes: 1 << 20 });
  const without =
    "error: this server does not implement the grpc health protocol (grpc.health.v1.Health)";
  const { port } = await started(empty as never, [], "127.0.0.1");
  expect(await probe(port)).toEqual(failure(`${without}: unknown service grpc.health.v1.Health`));
  const web = createServer((_, response) => {
    response.writeHead(404, { "content-type": "text/plain" });
    response.end("no such page");
  });
  const other = await started(web as never, [], "127.0.0.1");
  expect(await probe(other.port)).toEqual(
    failure(
      `${without}: unexpected HTTP status code received from server: 404 (Not Found); transport: received unexpected content-type "text/plain"`,
    ),
  );
});

test("grpcProbe: a call that takes too long", async () => {
  const server = await healthServer(() => new Promise(() => {}));
  expect(await probe(server.port)).toEqual(
    failure("timeout: health rpc did not complete within 1s"),
  );
  await expect.poll(() => server.open()).toBe(0);
});

test("grpcProbe: tries to connect until the time is over", async () => {
  const late = (port: number): ProbeAnswer =>
    failure(
      `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`,
    );
  const closed = await freePort();
  const silent = await rawServer(() => {});
  const http1 = await rawServer("HTTP/1.1 400 Bad Request\r\n\r\n");
  const ports = [closed, silent.port, http1.port];
  expect(await Promise.all(ports.map((port) => probe(port)))).toEqual(ports.map(late));
  await expect.poll(() => silent.open() + http1.open()).toBe(0);
});
