import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import { testImages } from "../images.test-support.ts";
import { buildImage, tarOf } from "../oci-image.test-support.ts";
import { startRegistry } from "../test-registry.test-support.ts";
import { HttpConnections, readBody } from "./http-connections.ts";

/** A proxy that connects everything to one server, and records what it was asked for. */
async function startProxy(target: string, password?: string) {
  const asked: string[] = [];
  const [host = "", port = ""] = target.split(":");
  const isAllowed = ({ headers }: http.IncomingMessage): boolean =>
    password === undefined ||
    headers["proxy-authorization"] === `Basic ${Buffer.from(password).toString("base64")}`;
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end("from the proxy");
  });
  server.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    if (!isAllowed(request))
      return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const through = net.connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      through.pipe(socket).pipe(through);
    });
    for (const end of [through, socket]) {
      end.on("error", () => undefined);
      end.on("close", () => through.destroy());
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { asked, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a registry with TLS is reached through a tunnel of the proxy", async () => {
  const registry = await startRegistry({
    tls: selfSigned({ name: "registry", ips: [], now: new Date() }),
  });
  const image = buildImage([tarOf([{ name: "a" }])]);
  registry.add("app:1", image);
  const proxy = await startProxy(registry.host, "u:p");
  const withProxy = (password: string) =>
    testImages({
      registry: { hostsFolders: [], env: { HTTPS_PROXY: `http://u:${password}@${proxy.address}` } },
    });
  await expect((await withProxy("p")).pull("registry.example:5000/app:1")).rejects.toThrow(
    "tls: failed to verify certificate",
  );
  await expect((await withProxy("wrong")).pull("registry.example/app:1")).rejects.toThrow(
    "proxyconnect tcp: 407 Proxy Authentication Required",
  );
  expect(new Set(proxy.asked)).toEqual(
    new Set(["CONNECT registry.example:5000", "CONNECT registry.example:443"]),
  );
  const connections = new HttpConnections(60_000, { HTTPS_PROXY: `u:p@${proxy.address}` });
  onTestFinished(() => connections.close());
  const { status, body } = await connections.send({
    method: "GET",
    url: new URL("https://registry.example/v2/"),
    headers: {},
    tls: { skipVerify: true },
  });
  expect([status, String(await readBody(body, 100))]).toEqual([200, "{}"]);
});

test("a registry without TLS is reached by the proxy itself", async () => {
  const proxy = await startProxy("127.0.0.1:1");
  const connections = new HttpConnections(60_000, { HTTP_PROXY: proxy.address });
  onTestFinished(() => connections.close());
  const url = new URL("http://registry.example/v2/?x=1");
  const { body } = await connections.send({ method: "GET", url, headers: {} });
  expect(String(await readBody(body, 100))).toBe("from the proxy");
  expect(proxy.asked).toEqual(["GET http://registry.example/v2/?x=1"]);
});
