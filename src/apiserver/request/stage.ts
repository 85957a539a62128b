import { checkpoint } from "./load/request-timeout.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { RequestState } from "./request-state.ts";

/**
 * One stage of the pipeline: it looks at the request (`before`), changes the response of later stages
 * (`after`), or runs them itself (`around`).
 */
export type Stage = Before | After | Around;

interface Before {
  readonly name: string;
  /** Responds and so ends the request, or returns undefined to pass it on. */
  before(request: RequestState): Outcome | Promise<Outcome>;
}

interface After {
  readonly name: string;
  /** Returns the response to send. */
  after(request: RequestState, response: ApiResponse): ApiResponse;
}

interface Around {
  readonly name: string;
  /** Called once, when the server starts; `next` is all later stages. A stage with nothing to do returns it. */
  around(next: Next): Next;
}

type Outcome = ApiResponse | undefined;

/** The stages from some place on. It rejects, or throws, where they do. */
export type Next = (request: RequestState) => Promise<ApiResponse>;

/** Makes one function of stages, the first of which is the outermost. The last one always responds. */
export function compose(stages: readonly Stage[]): Next {
  const [first] = stages;
  if (!first) return noResponse;
  if ("around" in first) return first.around(compose(stages.slice(1)));
  const afters = leading(stages, (stage): stage is After => "after" in stage);
  const rest = stages.slice(afters.length);
  const befores = leading(rest, (stage): stage is Before => "before" in stage);
  return inOneFunction(afters, befores, compose(rest.slice(befores.length)));
}

/** Calls `observe` with the name of each stage that a request or its response passes. */
export function observed(
  stages: readonly Stage[],
  observe: (stage: string, request: ApiRequest) => void,
): Stage[] {
  const notify = <T>(name: string, request: RequestState, run: () => T): T => {
    observe(name, request.request);
    return run();
  };
  return stages.map((stage): Stage => {
    const { name } = stage;
    if ("before" in stage)
      return { name, before: (request) => notify(name, request, () => stage.before(request)) };
    if ("after" in stage)
      return {
        name,
        after: (request, response) => notify(name, request, () => stage.after(request, response)),
      };
    return {
      name,
      around(next) {
        const run = stage.around(next);
        return (request) => notify(name, request, () => run(request));
      },
    };
  });
}

/** Runs stages without `around` in one function, so that a request allocates few promises. */
function inOneFunction(afters: readonly After[], befores: readonly Before[], next: Next): Next {
  const run = (request: RequestState, from: number): Promise<ApiResponse> => {
    for (let i = from; i < befores.length; i++) {
      const outcome = (befores[i] as Before).before(request);
      if (outcome instanceof Promise) return resume(request, outcome, i + 1);
      if (outcome !== undefined) return Promise.resolve(outcome);
    }
    return next(request);
  };
  const resume = async (request: RequestState, outcome: Promise<Outcome>, from: number) => {
    const response = await outcome;
    if (response) return response;
    checkpoint(request);
    return run(request, from);
  };
  if (afters.length === 0) return (request) => run(request, 0);
  return async (request) => {
    let response = await run(request, 0);
    for (let i = afters.length - 1; i >= 0; i--)
      response = (afters[i] as After).after(request, response);
    return response;
  };
}

function leading<S extends Stage>(stages: readonly Stage[], is: (stage: Stage) => stage is S): S[] {
  const found: S[] = [];
  for (const stage of stages) {
    if (!is(stage)) break;
    found.push(stage);
  }
  return found;
}

const noResponse: Next = async () => {
  throw new Error("no stage of the pipeline responded");
};
