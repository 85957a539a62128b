import { StatusError } from "../../api/meta/v1/status-error.ts";
import { pathAttributes } from "../../apiserver/authorization/attributes.ts";
import { forbiddenTo } from "../../apiserver/authorization/authorize.ts";
import { formOfErrors } from "../../apiserver/request/negotiation.ts";
import type { ApiRequest, ApiResponse, Handler } from "../../apiserver/request/request.ts";
import { decodedPath } from "../../apiserver/request/request-info.ts";
import { errorResponse, textResponse } from "../../apiserver/request/respond.ts";
import { errorMessage } from "../../base/error-message.ts";
import { authenticateCaller, type CallerAuthentication } from "./authenticate-caller.ts";
import type { PathAuthorizer } from "./path-authorizer.ts";

/** The response for an authorized path; undefined if there is none. */
export type Routes = (
  request: ApiRequest,
  path: string,
) => Promise<ApiResponse> | ApiResponse | undefined;

export interface ComponentHandlerOptions extends CallerAuthentication {
  readonly authorize: PathAuthorizer;
  readonly routes: Routes;
}

/** Handles HTTP requests to a component: authenticates and authorizes the caller, then calls the routes. */
export function componentHandler(options: ComponentHandlerOptions): Handler {
  const { authorize, routes, log } = options;
  const answer = async (request: ApiRequest): Promise<ApiResponse> => {
    const user = await authenticateCaller(request, options);
    const path = decodedPath(request.path) ?? request.path;
    const verb = request.method.toLowerCase();
    const { isAllowed, reason } = await authorize(user, verb, path);
    if (!isAllowed) throw forbiddenTo(pathAttributes(user, verb, path), reason);
    return (await routes(request, path)) ?? textResponse(404, "404 page not found\n");
  };
  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      if (error instanceof StatusError) return errorResponse(error, formOfErrors(request));
      log.error("request failed", error, { path: request.path });
      const fault = new StatusError(
        "InternalError",
        `Internal error occurred: ${errorMessage(error)}`,
      );
      return errorResponse(fault, formOfErrors(request));
    }
  };
}
