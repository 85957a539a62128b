import { expect, test } from "vitest";
import { tlsPairFault } from "./secret-tls.ts";

const pem = (type: string, body = "AAAA"): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const certificate = pem("CERTIFICATE");
const key = pem("EC PRIVATE KEY");

const faults: readonly [certificate: string, key: string, fault: string | undefined][] = [
  [certificate, key, undefined],
  [`text\n${pem("X")}${certificate}`, `${pem("EC PARAMETERS")}${key}`, undefined],
  ["", key, "tls: failed to find any PEM data in certificate input"],
  [pem("CERTIFICATE", "!"), key, "tls: failed to find any PEM data in certificate input"],
  [
    key,
    key,
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  ],
  [
    pem("A") + pem("B"),
    key,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ],
  [certificate, "", "tls: failed to find any PEM data in key input"],
  [
    certificate,
    certificate,
    "tls: found a certificate rather than a key in the PEM for the private key",
  ],
  [
    certificate,
    pem("A"),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
  ],
];

test("tlsPairFault: says what is missing in the words of Go", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(faults.map(([pair, secret]) => tlsPairFault(bytes(pair), bytes(secret)))).toEqual(
    faults.map(([, , fault]) => fault),
  );
});
