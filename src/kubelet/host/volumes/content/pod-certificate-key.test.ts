import { createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import { verifySignature } from "../../../../../test/verify-signature.ts";
import {
  parseCertificateRequest,
  requestSignatureFault,
} from "../../../../api/certificates/x509/certificate-request.ts";
import { newPodKey } from "./pod-certificate-key.ts";

test.each([
  ["ECDSAP256", "ec", "prime256v1"],
  ["ECDSAP384", "ec", "secp384r1"],
  ["ECDSAP521", "ec", "secp521r1"],
  ["ED25519", "ed25519", undefined],
  ["RSA3072", "rsa", 3072],
])("newPodKey: %s is proved by its request", async (keyType, type, size) => {
  const { pem, request } = await newPodKey(keyType);
  const { asymmetricKeyType, asymmetricKeyDetails: details } = createPrivateKey(pem);
  expect([asymmetricKeyType, details?.namedCurve ?? details?.modulusLength]).toEqual([type, size]);
  const parsed = parseCertificateRequest(Buffer.from(request, "base64"));
  expect(requestSignatureFault(parsed, verifySignature)).toBeUndefined();
});

test("newPodKey: other types are unknown", async () => {
  await expect(newPodKey("DSA")).rejects.toThrow('unknown key type "DSA"');
});
