import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { Namespace } from "../../../api/core/v1/namespace.ts";
import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import { RoleBinding } from "../../../api/rbac/v1/role-binding.ts";
import type { Client } from "../../../client/client.ts";
import type { ResourceKind } from "../../../client/resource-kind.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import { readCertificates } from "../../../platform/pki/kept-certificates.ts";
import type { Facts, FileFacts } from "./checks/check.ts";
import { readStoredSecrets } from "./stored-secrets.ts";

/** Where facts come from; both may be absent. */
export interface FactSources {
  readonly client: Client | undefined;
  readonly dataDir: string | undefined;
}

/** Reads what the checks look at. What the caller may not read is left out. */
export async function gatherFacts({ client, dataDir }: FactSources): Promise<Facts> {
  const list = async <O>(kind: ResourceKind<O>): Promise<readonly O[] | undefined> =>
    client && permitted(async () => (await client.list(kind, { namespace: "" })).items);
  const [clusterRoles, clusterRoleBindings, roleBindings, namespaces, pods] = await Promise.all([
    list(ClusterRole),
    list(ClusterRoleBinding),
    list(RoleBinding),
    list(Namespace),
    list(Pod),
  ]);
  const flags = client && (await permitted(() => readFlags(client)));
  return {
    flags,
    secrets: await readStoredSecrets({ flags, dataDir }),
    files: dataDir === undefined ? undefined : await readFiles(dataDir),
    certificates:
      dataDir === undefined
        ? undefined
        : await readCertificates(join(dataDir, "pki"), new Date()).catch(() => undefined),
    ...{ clusterRoles, clusterRoleBindings, roleBindings, namespaces, pods },
    kubelets: client && (await permitted(() => readKubelets(client))),
  };
}

async function permitted<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (StatusError.is(error, "Forbidden") || StatusError.is(error, "NotFound")) return undefined;
    throw error;
  }
}

async function readFlags(client: Client): Promise<Facts["flags"]> {
  const accept = "application/json;v=v1beta1;g=config.k8s.io;as=Flagz";
  const response = await client.raw({ method: "GET", path: "/flagz", headers: { accept } });
  if (response.status !== 200) return undefined;
  return ((await response.value()) as { flags?: Facts["flags"] }).flags;
}

/** The configurations of the kubelets that say theirs; simulated ones do not. */
async function readKubelets(client: Client): Promise<Facts["kubelets"]> {
  const { items } = await client.list(Node);
  const found = await Promise.all(
    items.map(async ({ metadata: { name = "" } }) => {
      const path = `/api/v1/nodes/${name}/proxy/configz`;
      const response = await client.raw({ method: "GET", path });
      if (response.status !== 200) return [];
      const value = (await response.value()) as { kubeletconfig?: KubeletConfiguration };
      return value.kubeletconfig ? [[name, value.kubeletconfig] as const] : [];
    }),
  );
  const kubelets = found.flat();
  return kubelets.length === 0 ? undefined : Object.fromEntries(kubelets);
}

/** Everything below a folder, but not what is mounted or linked there. */
async function readFiles(root: string, dir = root): Promise<readonly FileFacts[]> {
  const { mode, uid, dev } = await stat(dir);
  const own = { path: relative(root, dir), mode: mode & 0o7777, owner: uid, isFolder: true };
  const entries = await readdir(dir, { withFileTypes: true });
  const below = await Promise.all(
    entries.map(async (entry): Promise<readonly FileFacts[]> => {
      const path = join(dir, entry.name);
      if (entry.isSymbolicLink()) return [];
      const found = await stat(path).catch(() => undefined);
      if (!found || found.dev !== dev || isOfContainers(relative(root, path))) return [];
      if (entry.isDirectory()) return readFiles(root, path);
      const facts = { mode: found.mode & 0o7777, owner: found.uid, isFolder: false };
      return [{ path: relative(root, path), ...facts }];
    }),
  );
  return [own, ...below.flat()];
}

/** Nodes keep images and volumes here, whose modes are those that the containers want. */
const isOfContainers = (path: string): boolean => /^(nodes|boxes)(\/|$)/.test(path);
