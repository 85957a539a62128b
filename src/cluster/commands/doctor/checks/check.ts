import type { Namespace } from "../../../../api/core/v1/namespace.ts";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { ClusterRole } from "../../../../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding } from "../../../../api/rbac/v1/cluster-role-binding.ts";
import type { RoleBinding } from "../../../../api/rbac/v1/role-binding.ts";
import type { KubeletConfiguration } from "../../../../kubelet/config/kubelet-configuration.ts";
import type { KeptCertificate } from "../../../../platform/pki/kept-certificates.ts";
import type { StoredSecrets } from "../stored-secrets.ts";

/** What the checks look at. What could not be read, or is elsewhere, is undefined. */
export interface Facts {
  /** The values of the API server's flags. */
  readonly flags: Readonly<Record<string, string>> | undefined;
  /** How the values of secrets are stored. */
  readonly secrets: StoredSecrets | undefined;
  /** The files below the data directory. */
  readonly files: readonly FileFacts[] | undefined;
  /** The certificates of the cluster. */
  readonly certificates: readonly KeptCertificate[] | undefined;
  readonly clusterRoles: readonly ClusterRole[] | undefined;
  readonly clusterRoleBindings: readonly ClusterRoleBinding[] | undefined;
  readonly roleBindings: readonly RoleBinding[] | undefined;
  readonly namespaces: readonly Namespace[] | undefined;
  readonly pods: readonly Pod[] | undefined;
  /** The configuration of each kubelet that says it, by node. */
  readonly kubelets: Readonly<Record<string, KubeletConfiguration>> | undefined;
}

export interface FileFacts {
  /** Relative to the data directory. */
  readonly path: string;
  /** The permission bits. */
  readonly mode: number;
  readonly owner: number;
  readonly isFolder: boolean;
}

/** One question of the checklist. */
export interface Check {
  /** Stays the same across versions, so that scripts can name it. */
  readonly id: string;
  readonly title: string;
  /** What goes wrong otherwise. */
  readonly why: string;
  /** What to do about a finding. */
  readonly fix: string;
  /** An `advice` depends on what the cluster is for; a `fault` is wrong in any cluster. */
  readonly severity: "fault" | "advice";
  /** What was found, a line each; undefined if the facts are not known. */
  look(facts: Facts): readonly string[] | undefined;
}
