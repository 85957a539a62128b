import type { TokenIssuer } from "../apiserver/authentication/service-account-tokens.ts";
import { signingKey, verifyingKeys } from "../platform/pki/token-keys.ts";

/**
 * Issues service account tokens in tests. Its key is public, so that no key has to be generated at
 * start, and its signatures are deterministic, unlike those of elliptic curves.
 */
export function testTokenIssuer(): TokenIssuer {
  made ??= {
    issuers: [issuer],
    audiences: [issuer],
    signer: signingKey(publicSecret),
    keys: verifyingKeys(publicSecret),
  };
  return made;
}

let made: TokenIssuer | undefined;
const issuer = "https://kubernetes.default.svc";

const publicSecret = `-----BEGIN PRIVATE KEY-----
MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDB775yp95N1kr8
VdpPr2cAbpT4mMXIFuHH1N5N+34jG5ts1ZcMLR3QF4AFScQempwa25r9fdK8X1Wf
Q5b/ppgQ+hs7laAsKvqFZRWb0VH+PfBIHolpIpgLeH4OvkC7vaNDxrqI/JYJmFmA
RzmuRjTlcm5wW705JwsVyshjoM/nzDYe8dYeZuKJSAUBojaqbgwYauW2vEDy0ZQc
MEDm/c7fBsygKrTrO/jHKr6u2z62YlZt5VNVlwk8tUVf70gioR7FuVc9tb7pxMyD
TkHCZdN4I2t34BiQOHXbIJeIttw53MwLVmOtUHFLe7buHKcQjzjXj0dL1PUeRALH
1JEbI3drAgMBAAECggEAElNFxa5tvSEl+MNhW5eRaLhfmetQVQsvI84jgMQ7iQm6
HVtEE0HNcrT7GITTOVPBXcWpLDwlcOij6JFfGqJyoA1iDAv5afMDCnPLdOvJ5Ezq
ADE9KWgRbJQNeqB+Rr8xRt2SZrtSBMTBQEklVChiJdmIQf8JLvYCKs78hx188m7D
vNb/MlWTK2VXys7+cwuTO8mu7jUcemg4bLmY5dFr1m340LD+dQ19o3454mY9f3Xc
RFRpEEv0e46lBgQ06RFdeJ5AMtWWHDc3I7qy92JI5NKdfDT5H+PoZQljIxcKlSLm
ly2bttHY+RYOJ1RBX181XB+8b3U7eMkzg7QI9B4h0QKBgQD6KIe5wNCxmUSmCEeD
bwhQbPd7V79iFfFvEg6GxPCz3+eFyPY3lz14YbpnkexnoPzs0YNsWOnqbAzYTThy
HK4hEo0UVrpVYieyW5CjP4q3nOlr4O2CSfLimM+/hYckXnSg1RRnzEwVeysXTFm/
U2zZM12phPGucWuukF3SRmipJQKBgQDGdx1NEDIBYod4Nlam6Uv0FS+sE83FR6rP
baXq/hm24RAKPMwTB32+Hcour1nwyAkgivbi6BMkElAoF4qXoYniaqznHKY24jO2
vJibCQTSh6ixLS7VBPDRa/eZWZsFUcTHqfG4q9ho68bbi0iRN6rRYR+1A+sQhSGu
DPxarGuhTwKBgQCRL3y2XiXBLYceJaf7rDFTHCr2NxMoRjv9jqlHpn1cqBKjHuNn
mCtg9rdM7PAbpN+mQmLYOzJnj5ZU41xjPioBn9apezxh2bnYVjQ3yuUjc7o1ljHC
cFC7Gp1YNpMclIVz4rcZFwUBYp67wuBDnpOJ67nsbPAnokQw6DDLnXmY0QKBgQC/
0wGPKsgqboFhv6OhUH0JPjEFsV6B//Mo6mIj79YK3R4Txw+4lNUEnOZ+mR3ljHLF
8YsPZiCaDNlM5vQd+xS6s0DLYPWGtrwlM8SMlPsEQfraxUEuw8e/owt+PQ2I5q+8
DJaGWBKj1sAuE0Hgml2QYr+yxka9gPA8unBvc5fUIQKBgGWjq0ufWqE0Y3eG72xP
2gUBTw2yCQQmnZNmQxaDRuSZ6nQzKi41iMRkmpf+YixK6jQWKx5G5ZGpbOHc6YJR
ngvc2+3t/gFoI/16F38yxM8TJi5b4ZMm9vRxb5SV3bXfoqcGXAZ1BhAuDRbfjILz
Kv9wJH+NQqmCu3bheuqHj9dJ
-----END PRIVATE KEY-----`;
