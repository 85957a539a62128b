import { durationFlag, stringFlag, type Values } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

const year = 365 * 24 * 3_600_000;
const controller = "certificatesigningrequest-signing-controller";

const file = (field: string, usage: string) =>
  absent(controller, `CSRSigningController.${field}`, stringFlag({ usage }));

const signer = (flag: string, name: string, field: string) => ({
  cert: file(
    `${field}.CertFile`,
    `the \`FILE\` with the CA certificate that signs for ${name} (${flag})`,
  ),
  key: file(`${field}.KeyFile`, `the \`FILE\` with its private key (${flag})`),
});

const serving = signer(
  "serving",
  "kubernetes.io/kubelet-serving",
  "KubeletServingSignerConfiguration",
);
const kubelet = signer(
  "kubelets",
  "kubernetes.io/kube-apiserver-client-kubelet",
  "KubeletClientSignerConfiguration",
);
const client = signer(
  "clients",
  "kubernetes.io/kube-apiserver-client",
  "KubeAPIServerClientSignerConfiguration",
);
const legacy = signer("others", "kubernetes.io/legacy-unknown", "LegacyUnknownSignerConfiguration");

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
  "cluster-signing-duration": absent(
    controller,
    "CSRSigningController.ClusterSigningDuration",
    durationFlag({
      usage: "the maximum validity of signed certificates",
      default: year,
    }),
  ),
});

/** The flags of each signer, and its name in upstream's error messages. */
const signers = [
  ["kubelet-serving", "cluster-signing-kubelet-serving"],
  ["kubelet-client", "cluster-signing-kube-apiserver-client"],
  ["kube-apiserver-client", "cluster-signing-kube-apiserver"],
  ["legacy-unknown", "cluster-signing-legacy-unknown"],
] as const;

/** The problems of the values, in upstream's words. */
export function signingProblems(flags: Values<typeof signingFlags>): string[] {
  const problems: string[] = [];
  for (const [signer, name] of signers) {
    const hasCert = flags[`cluster-signing-${signer}-cert-file`] !== "";
    const hasKey = flags[`cluster-signing-${signer}-key-file`] !== "";
    if (hasKey && !hasCert) problems.push(`"${name}": cannot specify key without cert`);
    if (hasCert && !hasKey) problems.push(`"${name}": cannot specify cert without key`);
  }
  const isShared =
    flags["cluster-signing-cert-file"] !== "" || flags["cluster-signing-key-file"] !== "";
  const isSingle = signers.some(
    ([signer]) =>
      flags[`cluster-signing-${signer}-cert-file`] !== "" ||
      flags[`cluster-signing-${signer}-key-file`] !== "",
  );
  if (isShared && isSingle)
    problems.push(
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    );
  return problems;
}
