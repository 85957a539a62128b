import type { ApiGroup } from "../objects/resources.ts";
import type { User } from "../request/identity.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import type { RequestTarget } from "../request/request-info.ts";
import type { VersionDiscovery } from "./version-discovery.ts";

/** The caller of a request, and the id under which it is audited. */
export interface Caller {
  readonly user: User;
  readonly auditId: string;
}

/** Responds to a request that is authorized; a StatusError that it throws becomes the response. */
export type Respond = (request: ApiRequest, caller: Caller) => Promise<ApiResponse>;

/** Versions of groups that the verbs of this server do not serve. */
export interface Delegates {
  /** What responds to requests for a target; undefined if this server itself does. */
  respondTo(target: RequestTarget): Respond | undefined;
  /** The resources of a version; undefined if it is none of these. */
  discovery(group: string, version: string): VersionDiscovery | undefined;
  /** Their groups, as far as no APIService registers them. */
  readonly groups: readonly ApiGroup[];
}
