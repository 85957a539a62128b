import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { type Outcome, openTour, readable, type Tour } from "./kubectl.test-support.ts";

describeWith(requires("kubectl"))("kubectl with tokens", () => {
  let tour: Tour;
  let noKubeconfig: string;
  beforeAll(async () => {
    tour = await openTour();
    noKubeconfig = join(tour.dir, "none");
    for (const line of [
      "create serviceaccount robot",
      "create clusterrolebinding robots --clusterrole view --serviceaccount default:robot",
      "create secret generic held",
    ])
      expect((await tour.run(line)).code).toBe(0);
  });
  afterAll(() => tour.close());

  /** Runs a command with this token and nothing else. */
  const as = (token: string, line: string): Promise<Outcome> => {
    const ca = join(tour.dir, "data", "pki", "ca.crt");
    const server = `https://127.0.0.1:${tour.server.port}`;
    const flags = `--server ${server} --certificate-authority ${ca} --token ${token}`;
    return tour.run(`${flags} ${line}`, noKubeconfig);
  };
  const create = async (flags = ""): Promise<string> => {
    const { code, printed } = await tour.run(`create token robot ${flags}`);
    expect([code, printed]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)]);
    return printed;
  };

  test("a token from kubectl create token authenticates as its service account, with its permissions", async () => {
    const token = await create();
    expect(
      readable(await as(token, "auth whoami -o jsonpath='{.status.userInfo.username}'")),
    ).toEqual({
      code: 0,
      printed: "system:serviceaccount:default:robot",
    });
    expect((await as(token, "get serviceaccounts robot -o name")).printed).toBe(
      "serviceaccount/robot\n",
    );
    expect((await as(token, "get secrets")).printed).toBe(
      'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:default:robot" cannot list resource "secrets" in API group "" in the namespace "default"\n',
    );
    expect((await as(token, "get --raw /openid/v1/jwks")).printed).toMatch(
      /^\{"keys":\[\{"use":"sig","kty":"EC","kid":"[\w-]{43}","crv":"P-256","alg":"ES256",/,
    );
  });

  test("a token that is bound to a secret is invalid once the secret is deleted", async () => {
    const token = await create("--bound-object-kind Secret --bound-object-name held");
    expect((await as(token, "get serviceaccounts robot -o name")).code).toBe(0);
    await tour.run("delete secret held");
    expect(await as(token, "get serviceaccounts")).toEqual({
      code: 1,
      printed: "error: You must be logged in to the server (Unauthorized)\n",
    });
  });

  test("a token for another audience is rejected by the server", async () => {
    const token = await create("--audience https://elsewhere --duration 10m");
    expect((await as(token, "get serviceaccounts")).printed).toBe(
      "error: You must be logged in to the server (Unauthorized)\n",
    );
    expect((await tour.run("create token robot --duration 1m")).printed).toBe(
      'error: failed to create token: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes\n',
    );
  });
});
