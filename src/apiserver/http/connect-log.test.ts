import type { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { send } from "../in-process.test-support.ts";
import { pki } from "./clients.test-support.ts";
import { addPod, connectedServer, listening } from "./kubelet.test-support.ts";

const path = "/api/v1/namespaces/default/pods/web/log";

describe("the log of a pod", () => {
  test("comes from the kubelet, with the options of the client", async () => {
    const asked: (string | undefined)[] = [];
    const kubelet = await listening((request, response) => {
      asked.push(request.url, request.headers.host);
      response.end("line 1\nline 2\n");
    });
    const server = await connectedServer();
    await addPod(server, kubelet.port);
    const query =
      "follow=true&previous=1&timestamps=&sinceSeconds=5&tailLines=%2B7&limitBytes=9007199254740993&pretty=true";
    const { status, headers, text } = await send(server, { path: `${path}?${query}` });
    expect({ status, headers, text }).toMatchObject({
      status: 200,
      headers: { "content-type": "text/plain", "cache-control": ["no-cache, private"] },
      text: "line 1\nline 2\n",
    });
    expect(asked).toEqual([
      "/containerLogs/default/web/main?follow=true&limitBytes=9007199254740993&previous=true&sinceSeconds=5&tailLines=7&timestamps=true",
      `127.0.0.1:${kubelet.port}`,
    ]);
    await send(server, { path: `${path}?sinceTime=2026-01-02T04:04:05%2B01:00` });
    expect(asked[2]).toBe("/containerLogs/default/web/main?sinceTime=2026-01-02T03%3A04%3A05Z");
  });

  test("a kubelet's certificate is verified, unless the client skips it", async () => {
    const kubelet = await listening((_, response) => response.end("hi"));
    const server = await connectedServer({ kubelet: { ca: selfSigned().cert } });
    await addPod(server, kubelet.port);
    const refused = await send(server, { path });
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      500,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `Get "https://127.0.0.1:${kubelet.port}/containerLogs/default/web/main": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
        code: 500,
      },
    ]);
    const taken = await send(server, { path: `${path}?insecureSkipTLSVerifyBackend=true` });
    expect(taken.text).toBe("hi");
  });

  test("the server presents its client certificate to the kubelet", async () => {
    const seen: string[] = [];
    const tls = { ...pki.apiserver, ca: pki.ca.cert, requestCert: true };
    const kubelet = await listening(
      ({ socket }, response) => {
        seen.push(String((socket as TLSSocket).getPeerCertificate().subject.CN));
        response.end("hi");
      },
      { tls },
    );
    const server = await connectedServer({
      kubelet: { ca: pki.ca.cert, clientCert: pki.admin.cert, clientKey: pki.admin.key },
    });
    await addPod(server, kubelet.port);
    expect((await send(server, { path })).text).toBe("hi");
    expect(seen).toEqual(["admin"]);
  });

  const errors = [
    [500, "boom", 500, "InternalError", "Internal error occurred: boom"],
    [400, "no such container", 400, "BadRequest", "no such container"],
    [
      404,
      "gone",
      404,
      "NotFound",
      "the server could not find the requested resource ( pods/log web)",
    ],
    [403, "not you", 403, "Forbidden", "not you ( pods/log web)"],
    [
      401,
      "",
      401,
      "Unauthorized",
      "the server has asked for the client to provide credentials ( pods/log web)",
    ],
    [
      502,
      'a "b"',
      502,
      "InternalError",
      'an error on the server ("a \\"b\\"") has prevented the request from succeeding ( pods/log web)',
    ],
    [
      418,
      "tea",
      418,
      undefined,
      "the server responded with the status code 418 but did not return more information ( pods/log web)",
    ],
  ] as const;
  test.each(errors)("a kubelet's %d with %j", async (said, text, code, reason, message) => {
    const kubelet = await listening((_, response) => {
      response.statusCode = said;
      response.end(text);
    });
    const server = await connectedServer();
    await addPod(server, kubelet.port);
    const answer = await send(server, { path });
    expect(answer.status).toBe(code);
    expect(JSON.parse(answer.text)).toMatchObject({ message, code, ...(reason && { reason }) });
  });

  test("a kubelet that sends elsewhere is not followed", async () => {
    const kubelet = await listening((_, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    });
    const server = await connectedServer();
    await addPod(server, kubelet.port);
    const { status, text } = await send(server, { path });
    expect([status, JSON.parse(text).message]).toEqual([
      500,
      'Get "http://169.254.169.254/": redirects forbidden',
    ]);
  });

  test("a container must be named where there are several", async () => {
    const kubelet = await listening((request, response) => response.end(request.url));
    const server = await connectedServer();
    await addPod(server, kubelet.port, { containers: ["a", "b"] });
    const message = async (query: string) =>
      JSON.parse((await send(server, { path: path + query })).text).message;
    expect(await message("")).toBe(
      "a container name must be specified for pod web, choose one of: [a b]",
    );
    expect(await message("?container=c")).toBe("container c is not valid for pod web");
    expect((await send(server, { path: `${path}?container=b` })).text).toBe(
      "/containerLogs/default/web/b",
    );
  });

  test("nodes that are missing, without address, or not there", async () => {
    const server = await connectedServer();
    await addPod(server, 1);
    const message = async () => {
      const { status, text } = await send(server, { path });
      return [status, JSON.parse(text).message];
    };
    const url = "https://127.0.0.1:1/containerLogs/default/web/main";
    expect(await message()).toEqual([
      500,
      `Get "${url}": dial tcp 127.0.0.1:1: connect: connection refused`,
    ]);
    await send(server, {
      method: "PATCH",
      path: "/api/v1/nodes/n1/status",
      headers: { "content-type": "application/json-patch+json" },
      body: [{ op: "replace", path: "/status/addresses", value: [{ type: "Odd", address: "x" }] }],
    });
    expect(await message()).toEqual([
      500,
      "no preferred addresses found; known addresses: [{Odd x}]",
    ]);
    await send(server, { method: "DELETE", path: "/api/v1/nodes/n1" });
    expect(await message()).toEqual([404, 'pods "n1" not found']);
  });

  const refused = [
    ["tailLines=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["tailLines=", 400, 'strconv.ParseInt: parsing "": invalid syntax'],
    [
      "limitBytes=9223372036854775808",
      400,
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    [
      "tailLines=-9223372036854775808",
      422,
      'PodLogOptions "web" is invalid: tailLines: Invalid value: -9223372036854775808: must be greater than or equal to 0',
    ],
    [
      "stream=Stdout",
      422,
      'PodLogOptions "web" is invalid: stream: Forbidden: may not be specified',
    ],
    [
      "sinceTime=now",
      400,
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    ],
  ] as const;
  test.each(refused)("%s is refused", async (query, status, message) => {
    const server = await connectedServer();
    await addPod(server, 1);
    const answer = await send(server, { path: `${path}?${query}` });
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([status, message]);
  });

  test("a log that breaks off has ended", async () => {
    const kubelet = await listening((_, response) => {
      response.write("one\n", () => response.destroy());
    });
    const server = await connectedServer();
    await addPod(server, kubelet.port);
    expect((await send(server, { path })).text).toBe("one\n");
  });

  test("only GET is known", async () => {
    const server = await connectedServer();
    expect((await send(server, { method: "POST", path })).status).toBe(405);
    expect((await send(server, { path: `${path}/more` })).status).toBe(404);
  });
});
