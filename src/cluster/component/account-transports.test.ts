import { expect, onTestFinished, test } from "vitest";
import { startWith, testDir } from "../../../test/support/apiserver.test-support.ts";
import { SelfSubjectReview } from "../../api/authentication/v1/self-subject-review.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createClient } from "../../client/client.ts";
import type { Transport } from "../../client/transport.ts";
import { findConnection } from "../../kubeconfig/connect.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { realClock } from "../../platform/real-clock.ts";
import { accountTransports } from "./account-transports.ts";
import { anonymousConnection } from "./component-connection.ts";

/** Transports of accounts at a new server, on a manual clock; counts requested tokens. */
async function accounts() {
  const { kubeconfig } = await startWith(testDir());
  const { transport: connection } = await findConnection({ path: kubeconfig });
  const root = httpsTransport(connection);
  const anonymous = httpsTransport(anonymousConnection(connection));
  onTestFinished(() => {
    root.close();
    anonymous.close();
  });
  const asked: string[] = [];
  const counted: Transport = (request) => {
    if (request.method === "POST") asked.push(request.path);
    return root(request);
  };
  const clock = new VirtualClock(Date.now());
  const admin = createClient(counted, { clock: realClock });
  const of = accountTransports({ client: admin, transport: anonymous, clock });
  const who = async (transport: Transport) => {
    const client = createClient(transport, { clock: realClock });
    const { status } = await client.create(SelfSubjectReview, {});
    return status?.userInfo?.username;
  };
  return { of, who, admin, clock, asked };
}

const collection = "/api/v1/namespaces/kube-system/serviceaccounts";
const tokenOf = (account: string) => `${collection}/${account}/token`;

test("creates missing accounts, and each calls as itself", async () => {
  const { of, who, asked } = await accounts();
  const [one, other] = [of("deployment-controller"), of("job-controller")];
  expect(await Promise.all([who(one), who(one), who(other)])).toEqual([
    "system:serviceaccount:kube-system:deployment-controller",
    "system:serviceaccount:kube-system:deployment-controller",
    "system:serviceaccount:kube-system:job-controller",
  ]);
  expect(asked.filter((path) => path === tokenOf("deployment-controller")).length).toBe(2);
  expect(asked.filter((path) => path === collection).length).toBe(2);
});

test("a token is renewed after four fifths of its lifetime, and the old one is used meanwhile", async () => {
  const { of, who, clock, asked } = await accounts();
  const transport = of("job-controller");
  await who(transport);
  const first = asked.length;
  await clock.advance(47 * 60_000);
  await who(transport);
  expect(asked.length).toBe(first);
  await clock.advance(2 * 60_000);
  await who(transport);
  await expect.poll(() => asked.length).toBe(first + 1);
  await who(transport);
  expect(asked.length).toBe(first + 1);
});

test("an account that was created again gets another token at once", async () => {
  const { of, who, admin, asked } = await accounts();
  const transport = of("job-controller");
  await who(transport);
  const key = { namespace: "kube-system", name: "job-controller" };
  await admin.delete(ServiceAccount, key);
  const before = asked.length;
  expect(await who(transport)).toBe("system:serviceaccount:kube-system:job-controller");
  expect(asked.slice(before)).toEqual([tokenOf(key.name), collection, tokenOf(key.name)]);
});
