import type { FrontProxies } from "../../apiserver/authentication/front-proxy.ts";
import { frontProxyName } from "../../platform/pki/pki.ts";

/** The front proxy of a cluster is its API server. */
export const ownFrontProxies: FrontProxies = {
  allowedNames: [frontProxyName],
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
  extraHeadersPrefix: ["X-Remote-Extra-"],
};
