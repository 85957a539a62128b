import { decodeBase64, encodeBase64 } from "../../../base/base64.ts";

/** A node's request with a P-256 key and alternative names of each kind. */
export const p256Request: Uint8Array = decodeBase64(
  "MIIBLzCB1wIBADAvMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFjAUBgNVBAMMDXN5c3RlbTpub2RlOmEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQP9astEegzLR8eGK3IbreAPJAF8MG4AULNcEKj1NtEbA8EU53IejE7w6ZgV7jYlu8yc04XIN15u2/P+g9igz4coEYwRAYJKoZIhvcNAQkOMTcwNTAzBgNVHREELDAqgg1hLmV4YW1wbGUuY29thwQKAAABgQVhQGIuY4YMc3BpZmZlOi8veC95MAoGCCqGSM49BAMCA0cAMEQCIF/dZE3aP1aKmUtkmigpnt0eQWyxIVNl0vwM70sZRJ6sAiB+SCZpJCjEtJ5VuKbSWHIJrpwcLNx6NWR8LV7hMmSgUA==",
);
/** A request with an Ed25519 key. */
export const ed25519Request: Uint8Array = decodeBase64(
  "MIGOMEICAQAwDzENMAsGA1UEAwwEamFuZTAqMAUGAytlcAMhAEES+hTmSVX/JrPMtKSGzmQlNiq+gMkQ2YCH/BMqy3qpoAAwBQYDK2VwA0EAqLMVqugyIn9nBtuL+8U+ZEajJvl2iZdnaEbEHMNRI+ENmpMpj/eozlF9ahErvDrfkuYaolmFGZqElhVXp6z5CA==",
);
/** A request for the groups system:nodes and system:masters. */
export const mastersRequest: Uint8Array = decodeBase64(
  "MIG9MHECAQAwPjEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMRcwFQYDVQQKDA5zeXN0ZW06bWFzdGVyczEMMAoGA1UEAwwDZXZlMCowBQYDK2VwAyEAp2+z0Fo+tehj8BDIt4hraO6Tx5iyIqxI/ZGv42I2o3igADAFBgMrZXADQQBd30QjibLcxopEInseNLU0iZwFnXOCwIARMDi2MXl74YNMZdQQkBKCo/yliGhtLD7SU8neHFz5iZ+bnzaOfHYD",
);
/** A request with an RSA key of 2048 bits. */
export const rsaRequest: Uint8Array = decodeBase64(
  "MIICUTCCATkCAQAwDDEKMAgGA1UEAwwBcjCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAJqIgnaAbc93ToxCsxjJIfBNYW2l1CPl4UAehfFXRA2SgDWwik6YjlXNNv8ELGU1XasGYtlhPsCr/EvLHpVDAM6SgRvyAZKm5ODc+DV3cvYcieltvdPJparUzH9Jvpe7vOKD266N8Uo6oNdZdkEtbuthgTSixHUUrdWc92XvAK1u/RU4qIjGnaFSneDjcgc4puBzGzlo01ebsHdK/zPeGoyvGYa9TKQhFAMiTE19fRQjPbAWPq7w2Mrb2G8QC5wq1TCWe8W7+jlK1o+AhyaamYrdzui7MtDBHOztOSHaShxqsAeqHZptnqZH+Zt9tgJaJoRrNDtTLWqQPpgzbHDNRisCAwEAAaAAMA0GCSqGSIb3DQEBCwUAA4IBAQASAo9ITgKcMjJ95qE5JRbVn33aJXQE7l9h2VUxSvc9ZOQ37H4qB+N7ErTg9xdGQhFTkOvo7yE5DT8Si2UiOT3reNu/wU9BTCEgxZ3MxtfIXfifHCRrTtGT9sk2L6/G3ZDdPkeCKO4PgPE/8I9KPexCnV1na2pQx5qrmkqPhtCU9uHcDJVQFrppFdnIgqGw+YrUugnrLWR7HbNuru4VXKTz7fZ7pjJY/L6iDEs2MKD4ujdpy3/drfIcCcgmbsBDI4HJIECmqHKmYueL0Ec8QDrQQLGUzAMlInVZOflxYTMtEmN2jSpoeuWo8eibKN7wNwU4HB+kmDai6pRGnDKmV/62",
);
/** A certificate of an authority. */
export const authority: Uint8Array = decodeBase64(
  "MIIBbjCCARWgAwIBAgIUTuneCx71KYrUsiR0AO7tXk3LS/wwCgYIKoZIzj0EAwIwDTELMAkGA1UEAwwCY2EwHhcNMjYxMTE1MDcxNTAyWhcNMzYxMTEyMDcxNTAyWjANMQswCQYDVQQDDAJjYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABA/1qy0R6DMtHx4Yrchut4A8kAXwwbgBQs1wQqPU20RsDwRTnch6MTvDpmBXuNiW7zJzThcg3Xm7b8/6D2KDPhyjUzBRMB0GA1UdDgQWBBTnFpSDDF9TkRBhqTeZevtjE3qRUjAfBgNVHSMEGDAWgBTnFpSDDF9TkRBhqTeZevtjE3qRUjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIG+onpzHxN1rtkcU1HMBCJ/OxHHo10VeO8cG7Q6M3qtSAiBx/YXlLoMpqJ5pAf5rcTRb7m+fFdaY/tAtNcphldg3lQ==",
);
/** A certificate with the key of `p256Request` that is not an authority. */
export const leaf: Uint8Array = decodeBase64(
  "MIIBizCCATCgAwIBAgIUZrG9bInjZ7Fg0GHbdA+O28jyEaAwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEbGVhZjAeFw0yNjExMTUwNzE1MDJaFw0yNjExMTYwNzE1MDJaMA8xDTALBgNVBAMMBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQP9astEegzLR8eGK3IbreAPJAF8MG4AULNcEKj1NtEbA8EU53IejE7w6ZgV7jYlu8yc04XIN15u2/P+g9igz4co2owaDAdBgNVHQ4EFgQU5xaUgwxfU5EQYak3mXr7YxN6kVIwHwYDVR0jBBgwFoAU5xaUgwxfU5EQYak3mXr7YxN6kVIwGAYDVR0RBBEwD4INYS5leGFtcGxlLmNvbTAMBgNVHRMBAf8EAjAAMAoGCCqGSM49BAMCA0kAMEYCIQDIXwXl8CuHzrqRjWJeVxUN7uqC+lm6Xx/+1a7mxVb12wIhALGyjdk8JlCAa7zRTzULD+/oCRyw+f6kchI8Qpa8ZYbZ",
);

/** Encodes bytes as a PEM block. */
export const pem = (type: string, der: Uint8Array): string =>
  `-----BEGIN ${type}-----\n${encodeBase64(der)}\n-----END ${type}-----\n`;

/** Encodes a text as base64. */
export const base64 = (text: string): string => encodeBase64(new TextEncoder().encode(text));

/** The bytes with one bit flipped; a negative offset counts from the end. */
export function changed(bytes: Uint8Array, place: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = place < 0 ? bytes.length + place : place;
  copy[at] = (bytes[at] ?? 0) ^ 1;
  return copy;
}
