import { onTestFinished } from "vitest";
import { testDir } from "../../../test/support/apiserver.test-support.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { Client } from "../../client/client.ts";
import { connect } from "../../kubeconfig/connect.ts";
import { startServer } from "../commands/server/server-command.ts";
import { joiningGroup } from "./node-access.ts";

export const testToken = "abcdef.0123456789abcdef";

/** A server with all controllers and no nodes, until the test ends. */
export async function startJoiningServer() {
  const server = await startServer({
    dir: testDir(),
    host: "127.0.0.1",
    port: 0,
    nodes: 0,
    log: { level: "error", format: "" },
  });
  onTestFinished(() => server.close());
  const { client, close } = await connect({ path: server.kubeconfig });
  onTestFinished(close);
  const { server: url, ca } = server.publicAddress;
  /** A client with a bearer token, or an anonymous one. */
  const clientWith = async (token?: string): Promise<Client> => {
    const kubeconfig = {
      clusters: [
        {
          name: "c",
          cluster: {
            server: url,
            "certificate-authority-data": Buffer.from(ca).toString("base64"),
          },
        },
      ],
      users: [{ name: "u", user: token === undefined ? {} : { token } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    const connected = await connect({ kubeconfig });
    onTestFinished(connected.close);
    return connected.client;
  };
  return { server, client, clientWith };
}

/** Creates the secret of `testToken`. */
export const addTestToken = (client: Client) =>
  client.create(Secret, {
    metadata: { namespace: "kube-system", name: "bootstrap-token-abcdef" },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": "abcdef",
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-signing": "true",
      "usage-bootstrap-authentication": "true",
      "auth-extra-groups": joiningGroup,
    },
  });
