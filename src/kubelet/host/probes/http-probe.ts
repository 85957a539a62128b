import { errorMessage } from "../../../base/error-message.ts";
import { type HttpGetRequest, httpGetRequest } from "../../pod/http-get/http-get-request.ts";
import { type ProbeAnswer, ProbeError, type ProbeRequest } from "../../pod/probes/prober.ts";
import { type HttpAnswer, httpGet } from "../http/http-get.ts";

type Action = NonNullable<ProbeRequest["probe"]["httpGet"]>;

/** Probes a container with an HTTP request. */
export async function httpProbe(action: Action, request: ProbeRequest): Promise<ProbeAnswer> {
  const sent = requestOf(action, request);
  const timeoutMs = (request.probe.timeoutSeconds ?? 1) * 1000;
  let answer: HttpAnswer;
  try {
    answer = await httpGet(sent, {
      timeoutMs,
      signal: request.signal,
      protocols: ["h2", "http/1.1"],
      connectionHeaders: connectionHeaders(sent),
    });
  } catch (error) {
    return { result: "failure", output: errorMessage(error) };
  }
  const { status, body, bodyFault } = answer;
  if (bodyFault !== undefined) throw new ProbeError(bodyFault, "failure");
  if (status < 200 || status >= 400)
    return { result: "failure", output: `HTTP probe failed with statuscode: ${status}` };
  if (status < 300) return { result: "success", output: body.toString() };
  return {
    result: "warning",
    output: `Probe terminated redirects, Response body: ${body.toString()}`,
  };
}

/** Requests by their actions: making one costs as much as a tenth of a probe. */
const prepared = new WeakMap<Action, { readonly podIP: string; readonly sent: HttpGetRequest }>();

function requestOf(action: Action, { container, podIP }: ProbeRequest): HttpGetRequest {
  const known = prepared.get(action);
  if (known?.podIP === podIP) return known.sent;
  try {
    const sent = httpGetRequest(action, { container, podIP, purpose: "probe" });
    prepared.set(action, { podIP, sent });
    return sent;
  } catch (error) {
    throw new ProbeError(errorMessage(error), "unknown");
  }
}

/** Connections are not used again, unless the probe asks for another protocol. */
function connectionHeaders({ headers }: HttpGetRequest): readonly string[] {
  const values = headers.get("Connection")?.join(",").toLowerCase() ?? "";
  const isSaid = /\bclose\b/.test(values) || (headers.has("Upgrade") && /\bupgrade\b/.test(values));
  return isSaid ? [] : ["Connection: close"];
}
