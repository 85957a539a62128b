import { ErrorList, joinedErrors } from "../program/command-error.ts";
import type { Info } from "./info.ts";

/** What is done with each object, or with the error that took its place. */
export type Visit = (info: Info, error?: Error) => Promise<void> | void;

/**
 * Goes through objects, and calls a function with each. Visitors nest: one that wraps another decides what the
 * function sees, and what becomes of errors.
 */
export interface Visitor {
  /** The name in traces, as the original calls this visitor. */
  readonly name: string;
  visit(fn: Visit): Promise<void>;
}

/** Goes through visitors until one fails. */
export function visitorList(visitors: readonly Visitor[]): Visitor {
  return {
    name: "VisitorList",
    async visit(fn) {
      for (const visitor of visitors) await visitor.visit(fn);
    },
  };
}

/** Goes through all visitors, and throws their errors at the end. */
export function eagerVisitorList(visitors: readonly Visitor[]): Visitor {
  return {
    name: "EagerVisitorList",
    async visit(fn) {
      const errors: Error[] = [];
      const kept = keepingErrors(fn, errors);
      for (const visitor of visitors) await visitor.visit(kept).catch(collect(errors));
      if (errors.length > 0) throw new ErrorList(errors);
    },
  };
}

/** Goes on after errors, and throws them at the end. */
export function continueOnErrorVisitor(visitor: Visitor): Visitor {
  return {
    name: "ContinueOnErrorVisitor",
    async visit(fn) {
      const errors: Error[] = [];
      await visitor.visit(keepingErrors(fn, errors)).catch(collect(errors));
      const error = joinedErrors(errors);
      if (error) throw error;
    },
  };
}

/** Calls other functions before; an error of theirs skips the object. */
export function decoratedVisitor(visitor: Visitor, decorators: readonly Visit[]): Visitor {
  return {
    name: "DecoratedVisitor",
    visit: (fn) =>
      visitor.visit(async (info, error) => {
        if (error) throw error;
        for (const decorate of decorators) await decorate(info);
        await fn(info);
      }),
  };
}

/** Skips objects that do not pass. */
export function filteredVisitor(visitor: Visitor, passes: (info: Info) => boolean): Visitor {
  return {
    name: "FilteredVisitor",
    visit: (fn) =>
      visitor.visit(async (info, error) => {
        if (error) throw error;
        if (passes(info)) await fn(info);
      }),
  };
}

/** Logs when visitors begin and end, which shows how they nest. */
export function tracedVisitor(visitor: Visitor, log: (text: string) => void): Visitor {
  return {
    name: visitor.name,
    async visit(fn) {
      log(`In ${visitor.name}`);
      await visitor.visit(fn);
      log(`Out ${visitor.name}`);
    },
  };
}

function keepingErrors(fn: Visit, errors: Error[]): Visit {
  return async (info, error) => {
    if (error) errors.push(error);
    else await Promise.resolve(fn(info)).catch(collect(errors));
  };
}

const collect =
  (errors: Error[]) =>
  (error: Error): void => {
    errors.push(error);
  };
