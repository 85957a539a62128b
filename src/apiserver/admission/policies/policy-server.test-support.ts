import { type Answer, type CustomServer, openCustom } from "../../custom/custom.test-support.ts";

/** A server with policies, and short ways to write them. */
export interface PolicyServer extends Pick<CustomServer, "ask" | "define" | "server" | "close"> {
  /** Creates or replaces an object of the group of policies, such as `validatingadmissionpolicies`. */
  register(plural: string, name: string, spec: object): Promise<void>;
  /** Creates an object; throws if it is rejected. */
  create(path: string, object: object): Promise<Answer["body"]>;
}

const group = "admissionregistration.k8s.io/v1";
export const configMaps = "/api/v1/namespaces/default/configmaps";

/** A rule for writes of config maps. */
export const forConfigMaps = {
  resourceRules: [
    { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
  ],
};
export const forEverything = {
  resourceRules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
};

export const configMap = (name: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});

export async function openPolicies(): Promise<PolicyServer> {
  const server = await openCustom();
  const { ask } = server;
  const create: PolicyServer["create"] = async (path, body) => {
    const answer = await ask({ method: "POST", path, body });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    ...server,
    create,
    async register(plural, name, spec) {
      const path = `/apis/${group}/${plural}`;
      const { body: old } = await ask({ path: `${path}/${name}` });
      const body = { apiVersion: group, kind: kinds[plural], metadata: { name }, spec };
      if (old.kind === "Status") await create(path, body);
      else {
        const { resourceVersion } = old.metadata;
        const replaced = { ...body, metadata: { name, resourceVersion } };
        await ask({ method: "PUT", path: `${path}/${name}`, body: replaced });
      }
    },
  };
}

const kinds: Readonly<Record<string, string>> = {
  validatingadmissionpolicies: "ValidatingAdmissionPolicy",
  validatingadmissionpolicybindings: "ValidatingAdmissionPolicyBinding",
  mutatingadmissionpolicies: "MutatingAdmissionPolicy",
  mutatingadmissionpolicybindings: "MutatingAdmissionPolicyBinding",
};
