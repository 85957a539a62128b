import { type KubernetesSigner, signers } from "../../../../api/certificates/signers.ts";
import { stringFlag, type Values } from "../../../../cli/flag.ts";
import type { GivenFile } from "../../../../platform/given-files.ts";
import { section } from "../../../flags/server-flag.ts";
import { shownAt } from "./controller-flag.ts";

const file = (field: string, usage: string) =>
  shownAt(`CSRSigningController.${field}`, stringFlag({ usage }));

const signer = (flag: string, name: string, field: string) => ({
  cert: file(
    `${field}.CertFile`,
    `the \`FILE\` with the CA certificate that signs for ${name} (${flag})`,
  ),
  key: file(`${field}.KeyFile`, `the \`FILE\` with its private key (${flag})`),
});

const serving = signer("serving", signers.kubeletServing, "KubeletServingSignerConfiguration");
const kubelet = signer("kubelets", signers.kubeletClient, "KubeletClientSignerConfiguration");
const client = signer("clients", signers.client, "KubeAPIServerClientSignerConfiguration");
const legacy = signer("others", signers.legacy, "LegacyUnknownSignerConfiguration");

export const signingFlags = section("Certificatesigningrequest-signing-controller flags", {
  "cluster-signing-cert-file": file(
    "ClusterSigningCertFile",
    "the `FILE` with the CA certificate that signs for all signers; excludes the flags of single signers",
  ),
  "cluster-signing-key-file": file("ClusterSigningKeyFile", "the `FILE` with its private key"),
  "cluster-signing-kubelet-serving-cert-file": serving.cert,
  "cluster-signing-kubelet-serving-key-file": serving.key,
  "cluster-signing-kubelet-client-cert-file": kubelet.cert,
  "cluster-signing-kubelet-client-key-file": kubelet.key,
  "cluster-signing-kube-apiserver-client-cert-file": client.cert,
  "cluster-signing-kube-apiserver-client-key-file": client.key,
  "cluster-signing-legacy-unknown-cert-file": legacy.cert,
  "cluster-signing-legacy-unknown-key-file": legacy.key,
});

export type SigningFlags = Values<typeof signingFlags>;

/** The flags of each signer, its name in upstream's error messages, and its name in the API. */
const flagsOfSigners = [
  ["kubelet-serving", "cluster-signing-kubelet-serving", signers.kubeletServing],
  ["kubelet-client", "cluster-signing-kube-apiserver-client", signers.kubeletClient],
  ["kube-apiserver-client", "cluster-signing-kube-apiserver", signers.client],
  ["legacy-unknown", "cluster-signing-legacy-unknown", signers.legacy],
] as const;

/** The files of an authority, and the flags that name them. */
export interface AuthorityFiles {
  readonly cert: GivenFile;
  readonly key: GivenFile;
}

/** The files of each signer; a signer without both files does not sign. */
export function signingFiles(
  flags: SigningFlags,
): Readonly<Partial<Record<KubernetesSigner, AuthorityFiles>>> {
  const given = (flag: keyof SigningFlags): GivenFile => ({ flag, path: flags[flag] });
  const shared = {
    cert: given("cluster-signing-cert-file"),
    key: given("cluster-signing-key-file"),
  };
  const files = flagsOfSigners.map(([words, , signer]): [string, AuthorityFiles] => {
    const own: AuthorityFiles = {
      cert: given(`cluster-signing-${words}-cert-file`),
      key: given(`cluster-signing-${words}-key-file`),
    };
    return [signer, isSingle(flags) ? own : shared];
  });
  return Object.fromEntries(
    files.filter(([, { cert, key }]) => cert.path !== "" && key.path !== ""),
  );
}

/** Whether a signer has files of its own. */
const isSingle = (flags: SigningFlags): boolean =>
  flagsOfSigners.some(
    ([words]) =>
      flags[`cluster-signing-${words}-cert-file`] !== "" ||
      flags[`cluster-signing-${words}-key-file`] !== "",
  );

/** The problems of the values, in upstream's words. */
export function signingProblems(flags: SigningFlags): string[] {
  const problems: string[] = [];
  for (const [words, name] of flagsOfSigners) {
    const hasCert = flags[`cluster-signing-${words}-cert-file`] !== "";
    const hasKey = flags[`cluster-signing-${words}-key-file`] !== "";
    if (hasKey && !hasCert) problems.push(`"${name}": cannot specify key without cert`);
    if (hasCert && !hasKey) problems.push(`"${name}": cannot specify cert without key`);
  }
  const isShared =
    flags["cluster-signing-cert-file"] !== "" || flags["cluster-signing-key-file"] !== "";
  if (isShared && isSingle(flags))
    problems.push(
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    );
  return problems;
}
