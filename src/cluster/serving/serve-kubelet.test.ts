import { readFileSync } from "node:fs";
import { request } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { TestAuthority, testDir } from "../../../test/support/apiserver.test-support.ts";
import { textResponse } from "../../kubelet/api/kubelet-request.ts";
import { serveKubelet } from "../../kubelet/host/serve-kubelet.ts";

interface Caller {
  readonly cert: string;
  readonly key: string;
}

async function served() {
  const authority = new TestAuthority(testDir());
  const own = authority.issue("kubelet", { dnsNames: ["localhost"] });
  const server = await serveKubelet({
    port: 0,
    cert: readFileSync(own.cert, "utf8"),
    key: readFileSync(own.key, "utf8"),
    clientCa: readFileSync(authority.file, "utf8"),
    callers: ["kube-apiserver-kubelet-client"],
    handle: async ({ path, query }) => textResponse(200, `${path} ${query}`),
  });
  onTestFinished(() => server.close());
  const ask = (caller?: Caller): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const asked = request(
        {
          host: "127.0.0.1",
          port: server.port,
          path: "/containerLogs/a/b%20c/d?tailLines=1",
          servername: "localhost",
          ca: readFileSync(authority.file),
          ...(caller && { cert: readFileSync(caller.cert), key: readFileSync(caller.key) }),
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => {
            text += piece;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      asked.on("error", reject);
      asked.end();
    });
  return { authority, ask };
}

test("serves the API server", async () => {
  const { authority, ask } = await served();
  expect(await ask(authority.issue("kube-apiserver-kubelet-client"))).toEqual({
    status: 200,
    text: "/containerLogs/a/b c/d tailLines=1",
  });
});

test("rejects clients without a certificate, with another name, or of another CA", async () => {
  const { authority, ask } = await served();
  expect(await ask()).toEqual({ status: 401, text: "Unauthorized" });
  expect(await ask(authority.issue("admin", { organizations: ["system:masters"] }))).toEqual({
    status: 403,
    text: "Forbidden (user=admin, verb=get, resource=nodes, subresource=proxy)",
  });
  const stranger = new TestAuthority(testDir()).issue("kube-apiserver-kubelet-client");
  expect(await ask(stranger)).toEqual({ status: 401, text: "Unauthorized" });
});
