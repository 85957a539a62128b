/** The signers that are part of Kubernetes. */
export const signers = {
  client: "kubernetes.io/kube-apiserver-client",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  kubeletServing: "kubernetes.io/kubelet-serving",
  legacy: "kubernetes.io/legacy-unknown",
} as const;

/** The name of a signer that is part of Kubernetes. */
export type KubernetesSigner = (typeof signers)[keyof typeof signers];
