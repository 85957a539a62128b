import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createNamespace, open, podNamed, pods, send } from "./apiserver-client.ts";
import { connectBy } from "./apiserver-http1.ts";
import { startWherry, stop } from "./apiserver-process.ts";
import { verdict } from "./apiserver-verdict.ts";
import { contender, measureInTurns, type Operation } from "./processor-time.ts";

const namespace = "production";
const operation: Operation = {
  name: "GET Pod",
  first: () => ({ method: "GET", path: `${pods(namespace)}/web-0` }),
};

/**
 * The part of a GET that authentication, authorization and fairness take: a service account with a signed token and
 * the role `view`, compared with a caller whose token is looked up in a file, where everything is allowed and nothing
 * waits. The lookup is left out of the share.
 */
export async function benchAccess(work: string): Promise<void> {
  const file = join(work, "tokens.csv");
  writeFileSync(file, "bench-token,bench,bench\n");
  const [full, unguarded] = await Promise.all([
    prepared(join(work, "full")),
    prepared(
      join(work, "open"),
      `--token-auth-file=${file}`,
      "--authorization-mode=AlwaysAllow",
      "--enable-priority-and-fairness=false",
    ),
  ]);
  const contenders = [
    { ...full, token: full.token },
    { ...unguarded, token: "bench-token" },
  ].map(({ server, pki, token }) =>
    contender(server, operation, connectBy("HTTP/1.1", server.port, pki, token)),
  );
  const [checked = Number.NaN, unchecked = Number.NaN] = await measureInTurns(contenders);
  console.log(
    `\nprocessor time of a GET: ${checked.toFixed(0)} µs; without rights to check, or fairness: ${unchecked.toFixed(0)} µs`,
  );
  const share = ((checked - unchecked) * 100) / checked;
  verdict("authentication, authorization and fairness, of a GET", share, { most: 25, unit: "%" });
  for (const { connection } of contenders) connection.close();
  await Promise.all([full, unguarded].map(({ server }) => stop(server)));
}

/** A server with a pod, and a token of a service account that may read it. */
async function prepared(data: string, ...flags: string[]) {
  const server = await startWherry(data, "apiserver", ...flags);
  const pki = join(data, "pki");
  const session = open(server.port, pki);
  const create = async (path: string, body: object) =>
    JSON.parse((await send(session, { method: "POST", path, body }, 201)).toString());
  await createNamespace(session, namespace);
  await create(pods(namespace), podNamed("web-0", namespace));
  await create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "web" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", name: "web", namespace }],
  });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/web/token`;
  const { status } = await create(path, { spec: { expirationSeconds: 3600 } });
  session.close();
  return { server, pki, token: status.token as string };
}
