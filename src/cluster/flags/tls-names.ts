import { DEFAULT_CIPHERS, getCiphers, type SecureVersion } from "node:tls";
import { quote } from "../../schema/values/quote.ts";

/** The options of TLS, in Node's terms. */
export interface TlsProtocol {
  readonly minVersion: SecureVersion;
  readonly ciphers?: string;
  readonly ecdhCurve?: string;
}

/** Translates valid Go names of versions, cipher suites and curves to Node's options. */
export function tlsProtocol(names: {
  readonly minVersion: string;
  readonly cipherSuites: readonly string[];
  readonly curves: readonly string[];
}): TlsProtocol {
  const { minVersion, cipherSuites, curves } = names;
  const version = versions[minVersion] ?? "TLSv1.2";
  const isOld = version === "TLSv1" || version === "TLSv1.1";
  const chosen = cipherSuites.flatMap((name) => cipherSuite(name) ?? []);
  // In Go the suites of TLS 1.3 cannot be configured.
  const list = chosen.length > 0 ? [...newSuites, ...chosen] : [DEFAULT_CIPHERS];
  return {
    minVersion: version,
    ...((chosen.length > 0 || isOld) && {
      // OpenSSL rejects old versions and weak suites by default.
      ciphers: [...new Set(list), ...(isOld || chosen.some(isWeak) ? ["@SECLEVEL=0"] : [])].join(
        ":",
      ),
    }),
    ...(curves.length > 0 && {
      ecdhCurve: curves.flatMap((id) => curveNames[id] ?? []).join(":"),
    }),
  };
}

export function versionProblems(name: string): string[] {
  return name === "" || Object.hasOwn(versions, name) ? [] : [`unknown tls version ${quote(name)}`];
}

/** The problems of cipher suites: unknown names, or a list that HTTP/2 does not allow. */
export function cipherProblems(
  names: readonly string[],
  { minVersion, http2 }: { readonly minVersion: string; readonly http2: boolean },
): string[] {
  const problems = names.flatMap((name) => {
    const suite = cipherSuite(name);
    if (suite === undefined) return [`Cipher suite ${name} not supported or doesn't exist`];
    return getCiphers().includes(suite.toLowerCase())
      ? []
      : [`Cipher suite ${name} is not supported by the OpenSSL of this program: leave it out`];
  });
  const isNeeded = http2 && names.length > 0 && minVersion !== "VersionTLS13";
  if (problems.length === 0 && isNeeded && !requiredByHttp2.some((name) => names.includes(name)))
    problems.push(
      `error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of ${requiredByHttp2.join(" or ")})`,
    );
  return problems;
}

export function curveProblems(ids: readonly string[]): string[] {
  return ids.flatMap((text, index) => {
    const id = Number(text);
    if (!/^[-+]?\d+$/.test(text))
      return [
        `invalid argument ${quote(text)} for "--tls-curve-preferences" flag: strconv.ParseInt: parsing ${quote(text)}: invalid syntax`,
      ];
    if (id <= 0 || id > 65535) return [`curve preference ${id} is out of range (must be 1-65535)`];
    if (ids.findIndex((other) => Number(other) === id) < index)
      return [`duplicate curve preference ${id}`];
    return Object.hasOwn(curveNames, id)
      ? []
      : [`curve preference ${id} is not supported: give 23, 24, 25 or 29`];
  });
}

const versions: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
};

const curveNames: Readonly<Record<string, string>> = {
  23: "P-256",
  24: "P-384",
  25: "P-521",
  29: "X25519",
};

const newSuites = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
];

const requiredByHttp2 = [
  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
];

/** OpenSSL's name of a suite that Go knows; undefined for others. */
function cipherSuite(name: string): string | undefined {
  if (newSuites.includes(name)) return name;
  return Object.hasOwn(oldSuites, name) ? oldSuites[name] : undefined;
}

const isWeak = (suite: string): boolean => /RC4|DES|SHA$/.test(suite);

const oldSuites: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_RSA_WITH_RC4_128_SHA: "RC4-SHA",
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: "DES-CBC3-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA256: "AES128-SHA256",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: "ECDHE-ECDSA-RC4-SHA",
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: "ECDHE-RSA-RC4-SHA",
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: "ECDHE-RSA-DES-CBC3-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
};
