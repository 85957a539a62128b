import { goRegexp } from "../../../../schema/regexp/go-regexp.ts";

/** Which requests a proxy passes on: lists of regular expressions, separated by commas. */
export interface FilterRules {
  readonly acceptPaths: string;
  readonly rejectPaths: string;
  readonly acceptHosts: string;
  readonly rejectMethods: string;
}

export interface FilteredRequest {
  readonly method: string;
  readonly path: string;
  /** The value of the header Host. */
  readonly host: string;
}

/** Whether a request is passed on. */
export type RequestFilter = (request: FilteredRequest) => boolean;

/** The filter of such rules; throws for an expression that Go cannot read. */
export function requestFilter(rules: FilterRules): RequestFilter {
  const [acceptPaths, rejectPaths, acceptHosts, rejectMethods] = [
    matcher(rules.acceptPaths),
    matcher(rules.rejectPaths),
    matcher(rules.acceptHosts),
    matcher(rules.rejectMethods),
  ];
  return ({ method, path, host }) =>
    !rejectPaths(path) && !rejectMethods(method) && acceptPaths(path) && acceptHosts(nameOf(host));
}

function matcher(list: string): (text: string) => boolean {
  const expressions = list === "" ? [] : list.split(",").map(goRegexp);
  return (text) => expressions.some((one) => one.test(text));
}

/** The host without its port; without brackets only if there is a port. */
function nameOf(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:[\]]*)):[^:]*$/.exec(host) ?? [];
  return bracketed ?? plain ?? host;
}
