import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { detachedSignature } from "./cluster-info.ts";

test("detachedSignature: header and signature, as other implementations compute them", () => {
  const hmacSha256 = (secret: string, text: string) =>
    createHmac("sha256", secret).update(text).digest();
  const token = { id: "abcdef", secret: "0123456789abcdef" };
  expect(detachedSignature("apiVersion: v1\nkind: Config\n", token, hmacSha256)).toBe(
    "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..vH_kT4yiol-nrAWgjfCYqvum5wsKETXe0S7OOp1VgnE",
  );
});
