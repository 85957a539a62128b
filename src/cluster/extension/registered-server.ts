import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import {
  hasMembers,
  type KeepingContext,
  type KeptObject,
  type KeptObjects,
  keepObjects,
} from "../../controller-runtime/objects/keep-objects.ts";

/** The service by which API servers reach a server of other APIs. */
export interface ServedService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** The host outside of the cluster that the service stands for; it is made with the registration then. */
  readonly externalName?: string | undefined;
}

export interface Registration {
  readonly versions: readonly { readonly group: string; readonly version: string }[];
  readonly service: ServedService;
  /** How API servers verify the server: by what their machines trust if it is empty. */
  trust(): { readonly caBundle?: string; readonly insecureSkipTLSVerify?: true };
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

/** Registers a server at the aggregator, and again when others change that. */
export const registerServer = (
  ctx: KeepingContext,
  name: string,
  registration: Registration,
): KeptObjects => keepObjects(ctx, registeredObjects(ctx, name, registration));

/** Removes the registration, so that nobody asks a server that is gone. */
export async function unregisterServer(
  { client }: KeepingContext,
  { versions, service }: Pick<Registration, "versions" | "service">,
): Promise<void> {
  for (const one of versions)
    await ignoreNotFound(client.delete(APIService, { name: apiServiceName(one) }));
  if (service.externalName !== undefined)
    await ignoreNotFound(
      client.delete(Service, { namespace: service.namespace, name: service.name }),
    );
}

const apiServiceName = ({ group, version }: Registration["versions"][number]): string =>
  `${version}.${group}`;

function registeredObjects(
  { client }: KeepingContext,
  fieldManager: string,
  { versions, service, trust, ...priorities }: Registration,
): readonly KeptObject[] {
  const options = { fieldManager, force: true };
  const { namespace, name, port, externalName } = service;
  const apiService = (one: Registration["versions"][number]): KeptObject => ({
    kind: APIService,
    name: apiServiceName(one),
    async ensure() {
      const { group, version } = one;
      const own = { group, version, service: { namespace, name, port } };
      const spec = { ...own, ...trust(), ...priorities };
      const wanted = { metadata: { name: apiServiceName(one) }, spec };
      const found = await ignoreNotFound(client.get(APIService, wanted.metadata));
      if (!hasMembers(found, wanted)) await client.apply(APIService, wanted, options);
      return true;
    },
  });
  const external: KeptObject = {
    kind: Service,
    namespace,
    name,
    async ensure() {
      const wanted = {
        metadata: { namespace, name },
        spec: { type: "ExternalName", externalName },
      };
      const found = await ignoreNotFound(client.get(Service, { namespace, name }));
      if (!hasMembers(found, wanted)) await client.apply(Service, wanted, options);
      return true;
    },
  };
  return [...(externalName === undefined ? [] : [external]), ...versions.map(apiService)];
}
