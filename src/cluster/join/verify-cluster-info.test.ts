import { expect, test } from "vitest";
import { testAuthority } from "../../../test/certificates.ts";
import { each } from "../../../test/each.ts";
import { detachedSignature } from "../../api/core/v1/cluster-info.ts";
import { formatKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";
import { hmacSha256 } from "../../platform/hmac-sha256.ts";
import { pinProblem, publicKeyPin } from "./public-key-pin.ts";
import { checkAuthorities, verifyClusterInfo } from "./verify-cluster-info.ts";

const token = { id: "abcdef", secret: "0123456789abcdef" };
const kubeconfig = formatKubeconfig({
  clusters: [
    { name: "", cluster: { server: "https://a:1", "certificate-authority-data": "eA==" } },
  ],
});
const sign = (text: string, secret = token.secret) =>
  detachedSignature(text, { ...token, secret }, hmacSha256);
const key = "jws-kubeconfig-abcdef";

test("verifyClusterInfo: the address that the token has signed", () => {
  expect(verifyClusterInfo({ kubeconfig, [key]: sign(kubeconfig) }, token)).toEqual({
    server: "https://a:1",
    ca: "x",
    serverName: undefined,
  });
});

each<[fault: RegExp, data: Readonly<Record<string, string>>]>([
  [/^there is no kubeconfig key in the cluster-info ConfigMap/, { [key]: sign("") }],
  [/^token id "abcdef" is invalid for this cluster or it has expired/, { kubeconfig }],
  [/^failed to verify JWS signature/, { kubeconfig, [key]: sign(kubeconfig, "fedcba9876543210") }],
  [/^failed to verify JWS signature/, { kubeconfig: `${kubeconfig} `, [key]: sign(kubeconfig) }],
  [/^malformed kubeconfig/, { kubeconfig: "{}", [key]: sign("{}") }],
])("verifyClusterInfo: %s", (fault, data) => {
  expect(() => verifyClusterInfo(data, token)).toThrow(fault);
});

test("checkAuthorities: one of the certificates has a pinned key", () => {
  const [own, other] = [testAuthority(Date.UTC(2036, 0, 1)), testAuthority(Date.UTC(2036, 0, 1))];
  const pin = publicKeyPin(own.cert);
  expect(pin).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(() => checkAuthorities(own.cert, [])).not.toThrow();
  expect(() => checkAuthorities(other.cert + own.cert, [pin.toUpperCase()])).not.toThrow();
  expect(() => checkAuthorities(other.cert, [pin])).toThrow(
    `cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "${publicKeyPin(other.cert)}" are pinned`,
  );
  expect(() => checkAuthorities("", [pin])).toThrow("failed to parse cluster CA");
});

each<[pin: string, problem: string | undefined]>([
  [`sha256:${"a0".repeat(32)}`, undefined],
  [`SHA256:${"A0".repeat(32)}`, undefined],
  ["a0", 'invalid hash, expected "format:hex-value". Known format(s) are: sha256'],
  ["md5:a0", 'unknown hash format "md5". Known format(s) are: sha256'],
  ["sha256:a0", 'invalid hash "sha256:a0", expected a 32 byte SHA-256 hash, found 1 bytes'],
  [
    `sha256:${"x0".repeat(32)}`,
    `invalid hash "sha256:${"x0".repeat(32)}", could not decode SHA-256 from hex`,
  ],
])("pinProblem: %s", (pin, problem) => {
  expect(pinProblem(pin)).toBe(problem);
});
