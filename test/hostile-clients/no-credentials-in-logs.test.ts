import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { adminOf, httpsClient } from "../support/https-client.test-support.ts";
import { newDirectory, startProcess } from "../support/server-process.test-support.ts";
import { rawHttp1 } from "./raw-http1.test-support.ts";

const directory = newDirectory();
afterAll(() => directory.remove());

const configMaps = "/api/v1/namespaces/default/configmaps";

test("no credential that a client sends appears in logs or responses", async () => {
  const tokens = join(directory.path, "tokens.csv");
  const known = "s3cret-static-token";
  writeFileSync(tokens, `${known},jane,1\n${known},joe,2\ns3cret-static-other,jim,3\n`);
  const flags = ["--token-auth-file", tokens, "--enable-bootstrap-token-auth"];
  const server = await startProcess(directory.data, { flags });
  const admin = adminOf(directory.data, server.port);
  const ca = readFileSync(join(directory.data, "pki", "ca.crt"), "utf8");
  const stranger = httpsClient(server.port, ca);
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await admin.call("POST", accounts, { body: { metadata: { name: "robot" } } });
  const issued = await admin.call("POST", `${accounts}/robot/token`, { body: { spec: {} } });
  const { token: genuine } = (issued.body as unknown as { status: { token: string } }).status;
  const secrets = [
    known,
    "s3cret-unknown-token",
    genuine,
    `${genuine.slice(0, -6)}AAAAAA`,
    "abcdef.s3cret0123456789",
  ];

  const told: string[] = [];
  for (const secret of secrets) {
    const basic = Buffer.from(`u:${secret}`).toString("base64");
    const shown: Record<string, string>[] = [
      { authorization: `Bearer ${secret}` },
      { authorization: `bearer  ${secret}` },
      { authorization: secret },
      { authorization: `Basic ${basic}` },
      { authorization: `Bearer ${secret}`, "impersonate-user": "root" },
      { "sec-websocket-protocol": `base64url.bearer.authorization.k8s.io.${secret}` },
      { cookie: `token=${secret}` },
      { "x-remote-user": "root", "x-remote-extra-token": secret },
      { accept: "text/html", authorization: `Bearer ${secret}` },
      { "content-type": "text/plain", authorization: `Bearer ${secret}` },
    ];
    for (const headers of shown)
      for (const [method, path] of [
        ["GET", "/api/v1/secrets"],
        ["GET", `${configMaps}?limit=x`],
        ["GET", "/nothing"],
        ["POST", configMaps],
      ] as const)
        told.push(
          (await stranger.call(method, path, { headers, ...(method === "POST" && { body: "{" }) }))
            .text,
        );
    const review = { spec: { token: secret } };
    const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    await admin.call("POST", reviews, { body: review });
    told.push((await stranger.call("POST", reviews, { body: review })).text);
    told.push((await stranger.call("GET", `/api/v1/secrets?access_token=${secret}`)).text);
    // What is no HTTP never gets as far as a request.
    for (const line of ["GET /version HTTP/9.9", "GET /version HTTP/1.1\r\nX : y", "hello"]) {
      const parts = [`${line}\r\nAuthorization: Bearer ${secret}\r\n\r\n`];
      told.push(await rawHttp1({ port: server.port, ca }, parts));
    }
    const data = { password: secret, token: secret };
    const body = { metadata: { name: "x", namespace: "elsewhere" }, stringData: data };
    await admin.call("POST", "/api/v1/namespaces/default/secrets", { body });
    await admin.call("POST", "/api/v1/namespaces/default/secrets", {
      body: { ...body, metadata: 1 },
    });
  }
  admin.close();
  stranger.close();
  expect(await server.end()).toBe(0);

  const output = server.output();
  expect(output).toContain("request was not authenticated");
  for (const secret of secrets.flatMap((text) => [
    text,
    text.split(".").at(-1) ?? "",
    Buffer.from(`u:${text}`).toString("base64"),
  ])) {
    expect(output).not.toContain(secret);
    expect(told.filter((text) => text.includes(secret))).toEqual([]);
  }
});
