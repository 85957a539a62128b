import { expect, test } from "vitest";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Log, noLog } from "../../base/log.ts";
import { logFailure } from "./log-failure.ts";

const conflict = new StatusError("Conflict", "the object has been modified");
const notFound = new StatusError("NotFound", 'pods "web" not found');
const forbidden = new StatusError("Forbidden", "no");

test.each<[name: string, error: unknown, level: "info" | "error"]>([
  ["a conflict", conflict, "info"],
  ["an object that is not found", notFound, "info"],
  ["an error that a conflict caused", new Error("cannot write", { cause: conflict }), "info"],
  ["several expected failures", new AggregateError([conflict, notFound]), "info"],
  ["a call that is forbidden", forbidden, "error"],
  ["an expected failure beside a fault", new AggregateError([conflict, forbidden]), "error"],
  ["any other error", new TypeError("x is undefined"), "error"],
])("logFailure: %s is logged", (_, error, level) => {
  const lines: string[] = [];
  const log: Log = {
    ...noLog,
    info: (message, fields) => lines.push(`info ${message} ${fields?.key}`),
    error: (message, _, fields) => lines.push(`error ${message} ${fields?.key}`),
  };
  logFailure(log, "reconcile failed", error, { key: "default/web" });
  expect(lines).toEqual([`${level} reconcile failed default/web`]);
});
