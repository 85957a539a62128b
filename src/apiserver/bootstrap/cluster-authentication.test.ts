import { expect, test } from "vitest";
import { testAuthority } from "../../../test/certificates.ts";
import { each } from "../../../test/each.ts";
import { parseCertificate } from "../../api/certificates/x509/certificate.ts";
import { authority, leaf } from "../../api/certificates/x509/fixtures.test-support.ts";
import { certificatePem } from "./cluster.test-support.ts";
import {
  authenticationData,
  type ClusterAuthentication,
  succeeding,
} from "./cluster-authentication.ts";

const [one, two] = [certificatePem(authority), certificatePem(leaf)];
const ends = parseCertificate(leaf).notAfter * 1000;
const now = Math.min(parseCertificate(authority).notAfter * 1000, ends) - 1000;
const requestHeader = {
  clientCa: one,
  allowedNames: ["front-proxy"],
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
  extraHeadersPrefix: ["X-Remote-Extra-"],
};
const headers = {
  "requestheader-client-ca-file": one,
  "requestheader-allowed-names": '["front-proxy"]',
  "requestheader-username-headers": '["X-Remote-User"]',
  "requestheader-uid-headers": '["X-Remote-Uid"]',
  "requestheader-group-headers": '["X-Remote-Group"]',
  "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
};

type Data = Record<string, string>;
type Row = [rule: string, existing: Data, own: ClusterAuthentication, expected: Data];
each<Row>([
  ["nothing to say is nothing to hold", {}, {}, {}],
  ["who signs for clients", {}, { clientCa: one }, { "client-ca-file": one }],
  [
    "all there is of proxies",
    {},
    { clientCa: two, requestHeader },
    { "client-ca-file": two, ...headers },
  ],
  [
    "headers without an authority for proxies say nothing",
    { "requestheader-username-headers": '["X-Remote-User"]' },
    {},
    {},
  ],
  [
    "uids are left out where no header says them",
    {},
    { requestHeader: { ...requestHeader, uidHeaders: [], allowedNames: [] } },
    Object.fromEntries(
      Object.entries({ ...headers, "requestheader-allowed-names": "[]" }).filter(
        ([key]) => key !== "requestheader-uid-headers",
      ),
    ),
  ],
  [
    "what others say comes first, and nothing twice",
    {
      ...headers,
      "client-ca-file": two,
      "requestheader-group-headers": '["X-Group","X-Remote-Group"]',
    },
    { clientCa: one + two, requestHeader },
    {
      ...headers,
      "client-ca-file": two + one,
      "requestheader-group-headers": '["X-Group","X-Remote-Group"]',
    },
  ],
  [
    "what is none of its business goes",
    { mine: "x", "client-ca-file": one },
    {},
    { "client-ca-file": one },
  ],
])("authentication of the cluster: %s", (_, existing, own, expected) => {
  expect(authenticationData(existing, own, now)).toEqual(expected);
});

test("authentication of the cluster: a certificate is dropped five minutes after its expiry", () => {
  const at = (time: number) => authenticationData({}, { clientCa: two }, time);
  expect([at(ends + 299_999), at(ends + 300_000)]).toEqual([{ "client-ca-file": two }, {}]);
});

test("authentication of the cluster: data that cannot be parsed is not overwritten", () => {
  const read = (data: Data) => () => authenticationData(data, { clientCa: one }, now);
  expect(read({ "client-ca-file": "no certificate" })).toThrow(
    "data does not contain any valid RSA or ECDSA certificates",
  );
  expect(read({ "requestheader-allowed-names": "{}" })).toThrow("{} is not a list of strings");
});

test("succeeding: authorities are published until this server trusts them no more; those of others stay", () => {
  const [old, next, ofOthers] = [1, 2, 3].map(() => testAuthority(now + 1_000_000).cert) as [
    ...[string, string, string],
  ];
  const proxied = (clientCa: string): ClusterAuthentication => ({
    clientCa,
    requestHeader: { ...requestHeader, clientCa },
  });
  const first = proxied(old);
  const both = succeeding(first, proxied(`${old}${next}`));
  const last = succeeding(both, proxied(next));
  let data: Data = { "client-ca-file": ofOthers };
  const bundles = [first, both, last].map((step) => {
    data = { ...authenticationData(data, step, now) };
    expect(authenticationData(data, step, now)).toEqual(data);
    return [data["client-ca-file"], data["requestheader-client-ca-file"]];
  });
  expect(bundles).toEqual([
    [`${ofOthers}${old}`, old],
    [`${ofOthers}${old}${next}`, `${old}${next}`],
    [`${ofOthers}${next}`, next],
  ]);
});
